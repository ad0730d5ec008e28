#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_sizes.py finds files and classes that are too long, and reasons that are none any more."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/lint/check_sizes.py"


def problems(text):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "support/a.cpp"
        source.parent.mkdir()
        source.write_text(text)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return run.stdout if run.returncode else ""


def a_class(lines, above=""):
    body = "  int a() { return 1; }\n" * (lines - 2)
    return f"namespace {{\n\n{above}class Long final : public Base {{\n{body}}};\n\n}}\n"


class Sizes(unittest.TestCase):
    def test_classes_have_at_most_200_lines(self):
        self.assertEqual("", problems(a_class(200)))
        self.assertIn("support/a.cpp Long: a class of more than 200 lines", problems(a_class(201)))

    def test_a_reason_excuses_the_class_below_it_and_goes_with_its_length(self):
        above = "/// What it is.\n// Long: a reason\n// of two lines.\ntemplate <class T>\n"
        self.assertEqual("", problems(a_class(201, above)))
        self.assertIn("stands above no file or class that is too long", problems(a_class(200, "// Long: a reason.\n")))
        self.assertIn("a class of more than 200 lines", problems(a_class(201, "// Long: a reason.\n\n")))
        self.assertIn("a class of more than 200 lines", problems(a_class(201, "// Long:\n")))

    def test_files_have_a_limit(self):
        self.assertIn("support/a.cpp: over the hard limit", problems("\n" * 701))
        self.assertEqual("", problems("// What it is.\n// Long: a reason.\n" + "\n" * 701))
        self.assertIn("stands above no file", problems("// What it is.\n// Long: a reason.\n"))
        self.assertIn("over the hard limit", problems("// What it is.\n\n// Long: a reason.\n" + "\n" * 701))


if __name__ == "__main__":
    unittest.main()
