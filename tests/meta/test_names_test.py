#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lint of the names of tests finds cases that have numbers alone."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/lint/check_test_names.py"


def run(text):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "tests").mkdir()
        (pathlib.Path(folder) / "tests/a_test.cpp").write_text(text)
        done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return done.returncode, done.stdout


class TestNames(unittest.TestCase):
    def test_cases_with_numbers_alone_are_found(self):
        for values in ("Values(1, 2)", 'Values("a, b", "(c")', "Values(F{1, 2}, F{3, 4})", 'Values(R"(a, ")")', "Values(',', 2)", "Values(1  // one, two\n  , 2)"):
            with self.subTest(values):
                status, output = run(f"\nINSTANTIATE_TEST_SUITE_P(\n  All, Cases, {values});\n")
                self.assertEqual(status, 1)
                self.assertIn("tests/a_test.cpp:2: INSTANTIATE_TEST_SUITE_P numbers its cases", output)

    def test_cases_with_names_are_taken(self):
        for text in ("INSTANTIATE_TEST_SUITE_P(All, Cases, Values(1, 2), kNamedByText);\n",
                     'INSTANTIATE_TEST_SUITE_P(, Cases, Values("a"), [](const auto& i) { return f(i, 2); });\n'):
            with self.subTest(text):
                self.assertEqual(run(text), (0, ""))


if __name__ == "__main__":
    unittest.main()
