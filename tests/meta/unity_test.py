#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_unity.py finds names that cannot stand in one file, and lets those pass that can."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/lint/check_unity.py"


def problems(*texts, header=""):
    """Problems of files with these texts, of which the first includes a header."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        (pathlib.Path(folder) / "kit.h").write_text("namespace kit {\n" + header + "\n}\n")
        for number, text in enumerate(texts):
            files.append(pathlib.Path(folder) / f"{number}.cpp")
            files[-1].write_text(('#include "kit.h"\n\n' if number == 0 else "") + 'namespace kit {\n' + text + '\n}  // namespace kit\n')
        targets = pathlib.Path(folder) / "targets.txt"
        targets.write_text(";".join(["library", *map(str, files)]) + "\n")
        run = subprocess.run([sys.executable, CHECK, targets, folder], capture_output=True, text=True)
        return run.stdout if run.returncode else ""


def inside(text):
    return "namespace {\n" + text + "\n}  // namespace"


class Unity(unittest.TestCase):
    def test_types_constants_and_functions_occur_once(self):
        for text in ("struct Flags { int a; };", "constexpr int kMost = 3;", "int half(int v) { return v / 2; }",
                     'const char* text() { return R"x(})x"; }', "template <class T>\nvoid put(T value) {}"):
            self.assertIn("is in 0.cpp too", problems(inside(text), inside(text)), text)
            self.assertEqual("", problems(inside(text), "int other;"), text)

    def test_each_of_several_variables_and_members_of_enumerations_count(self):
        several = inside('constexpr char kAdd[] = "Add", kMul[] = "Mul,", kMax[] = {1, 2};\nint first(int a), other;')
        for text in ("constexpr int kMul = 1;", "constexpr int kMax = 1;", "enum Code { kAdd = 0, kMul = 18 };"):
            self.assertIn("is in 0.cpp too", problems(several, inside(text)), text)
        self.assertEqual("", problems(several, inside("enum class Code { kAdd, kMul };")))

    def test_static_functions_count(self):
        self.assertIn("'half'", problems("static int half(int v) { return v / 2; }", inside("double half(double v) { return v; }")))

    def test_overloads_of_the_kits_own_types_may_share_a_name(self):
        self.assertEqual("", problems(inside("void print(const Graph& g) {}"), inside("void print(const Module& m, int n) {}")))
        self.assertIn("'print'", problems(inside("void print(const Graph& g) {}"), inside("void print(const Graph& g, int n) {}")))
        self.assertIn("'print'", problems(inside("void print(int v) {}"), inside("void print(double v) {}")))

    def test_an_alias_may_be_said_again_with_one_meaning(self):
        self.assertEqual("", problems(inside("using Out = std::string;"), inside("using Out = std::string;")))
        self.assertIn("'Out'", problems(inside("using Out = std::string;"), inside("using Out = int;")))

    def test_a_name_that_is_taken_from_a_namespace_hides_types_of_the_others(self):
        taken = inside("using graph::Shape;")
        self.assertIn("'Shape'", problems(taken, inside("struct Shape { int a; };")))
        self.assertIn("'Shape'", problems("struct Shape { int a; };", taken))
        self.assertIn("'Shape'", problems("using graph::Shape;", inside("enum class Shape { Round };")))
        self.assertEqual("", problems(taken, taken))
        self.assertEqual("", problems(taken, inside("using Shape = graph::Shape;")))
        self.assertEqual("", problems(inside("using import::bytes_of;"), inside("int bytes_of(int type) { return type; }")))
        self.assertEqual("", problems(inside("using namespace graph;\nusing enum Kind;"), inside("struct Shape { int a; };")))

    def test_a_header_of_another_file_may_declare_the_type(self):
        own = inside("struct Layer { int a; };")
        self.assertIn("'Layer' is in kit.h too", problems("int other;", own, header="struct Layer { int b; };"))
        self.assertEqual("", problems("int other;", own, header="namespace inner { struct Layer {}; }"))
        self.assertEqual("", problems(own, "int other;", header="struct Sides {};"))

    def test_members_and_locals_do_not_count(self):
        self.assertEqual("", problems(inside("struct A { int run() { int n = 1; return n; } };"),
                                      inside("struct B { int run() { int n = 2; return n; } };")))


if __name__ == "__main__":
    unittest.main()
