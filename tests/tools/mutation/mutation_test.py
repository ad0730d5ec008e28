#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mutation tool on a small module and on the tree. usage: mutation_test.py ROOT WORK VERILATOR"""
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, WORK, VERILATOR = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
sys.path.insert(0, str(ROOT / "tools/mutation"))
import campaign
import mutants
import planted
import rtl
import sv_expression

HERE = pathlib.Path(__file__).resolve().parent

# These change nothing: only the sign of the difference is used, and a difference of 0 gives 0 either way.
EQUIVALENT = {
    ("assignment inverted", "$signed({1'b0, a}) - $signed({1'b0, b})", "($signed({1'b0, a}) - $signed({1'b0, b})) ^ 2'sd1"),
    ("constant", "9'sd0", "9'sd1"),
    ("operator", "difference(sum_q, data_i) < 9'sd0", "difference(sum_q, data_i) <= 9'sd0"),
}


class Tool(unittest.TestCase):
    def test_every_file_of_the_hardware_is_read(self):
        files = rtl.files_of(ROOT)
        found, keys = mutants.list_mutants(ROOT, files)
        self.assertEqual(len(set(keys.values())), len(found))
        without = set(files) - {m.file for m in found}
        self.assertEqual(without, {"isa/generated/vdla_isa_pkg.sv", "hw/rtl/common/vdla_pkg.sv", "hw/rtl/vector/vdla_vector_pkg.sv"}, "files without a mutant")
        for kind in ("condition negated", "condition stuck", "operator", "constant", "index", "assignment dropped", "assignment inverted",
                     "assignment zeroed", "port inverted", "port zeroed", "case inverted"):
            self.assertTrue(any(m.kind == kind for m in found), kind)

    def test_a_sample_is_the_same_for_the_same_seed_and_spread_over_the_files(self):
        found, keys = mutants.list_mutants(ROOT, rtl.files_of(ROOT))
        first = rtl.sample(found, keys, 600, 1)
        self.assertEqual([m.number for m in first], [m.number for m in rtl.sample(found, keys, 600, 1)])
        self.assertNotEqual([m.number for m in first], [m.number for m in rtl.sample(found, keys, 600, 2)])
        share = collections.Counter(m.file for m in first)
        for file, count in collections.Counter(m.file for m in found).items():
            self.assertLess(abs(share[file] - 600 * count / len(found)), 10 + 0.5 * 600 * count / len(found), file)

    def test_the_texts_of_the_listed_faults_are_in_the_tree(self):
        faults = planted.read_faults(ROOT / "tools/mutation/faults.txt")
        self.assertEqual(planted.check(ROOT, faults), [])
        self.assertGreaterEqual(len(faults), 30)

    def test_every_line_of_tests_txt_names_tests(self):
        # A test was renamed, and no mutant ran against it any more.
        for step in campaign.read_steps(ROOT / "tools/mutation/tests.txt", WORK.resolve().parents[2]):
            if not pathlib.Path(step.command[0]).exists():
                self.skipTest(f"{step.command[0]} is not built")
            listed = subprocess.run([*step.command[:2], "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
            self.assertTrue(any(line.startswith("  ") for line in listed.splitlines()), f"{step.name}: no test fits {step.command[1]}")

    def test_a_sample_can_be_planted_in_the_tree(self):
        found, keys = mutants.list_mutants(ROOT, rtl.files_of(ROOT))
        chosen = rtl.sample(found, keys, 20, 1)
        text = "".join(rtl.planted_files(ROOT, chosen).values())
        for m in chosen:
            self.assertIn(f"32'd{m.number})", text)

    def test_what_is_not_understood_is_an_error(self):
        with self.assertRaises(sv_expression.Unreadable) as error:
            mutants.sv.read("module m (input a);\n  assign b = a inside {1};\nendmodule\n", "m.sv")
        self.assertIn("m.sv:2: read 'inside'", str(error.exception))

    def test_an_assertion_or_a_declaration_is_not_mutated(self):
        text = (HERE / "sum.sv").read_text()
        for m in mutants.Lister(text, "sum.sv").list():
            line = text.splitlines()[m.line - 1]
            self.assertNotIn("VDLA_ASSERT", line)
            self.assertNotIn("localparam", line)
            self.assertNotIn("unused", line)

    def test_applied_and_chosen_mutants_say_the_same_place(self):
        text = (HERE / "sum.sv").read_text()
        for m in mutants.Lister(text, "sum.sv").list():
            self.assertEqual(text[m.begin:m.end], m.before)
            self.assertNotEqual(mutants.apply(text, m), text)

    def test_one_build_holds_every_mutant_and_the_bench_kills_them(self):
        text = (HERE / "sum.sv").read_text()
        found = [m for m in mutants.Lister(text, "sum.sv").list()]
        numbered = [mutants.dataclasses.replace(m, number=i + 1) for i, m in enumerate(found)]
        # In a temporary folder and by bare names: neither Verilator nor make takes a path with spaces.
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "sum.sv").write_text(mutants.PACKAGE + mutants.plant(text, numbered))
        for source in (ROOT / "hw/verilator.f", HERE / "sum_bench.cpp", *(ROOT / "hw/rtl/common").glob("*.svh")):
            shutil.copy(source, folder)
        subprocess.run([VERILATOR, "--cc", "--exe", "--build", "-Wno-fatal", "-f", "verilator.f", "--top-module", "sum", "--Mdir", "obj",
                        "sum.sv", "sum_bench.cpp"], check=True, capture_output=True, cwd=folder)

        def killed(number):
            return subprocess.run([str(folder / "obj/Vsum")], env=dict(os.environ, VDLA_MUTANT=str(number)), capture_output=True,
                                  timeout=60).returncode != 0

        self.assertFalse(killed(0), "without a mutant")
        alive = {(m.kind, m.before, m.after) for m in numbered if not killed(m.number)}
        self.assertEqual(alive, EQUIVALENT)
        self.assertGreater(len(numbered), 40)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
