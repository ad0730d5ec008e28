#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_sizes.py finds files and classes that are too long, and reasons that are none any more."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/lint/check_sizes.py"


def problems(text, reasons=""):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, content in {"tools/lint/size_exceptions.txt": reasons, "support/a.cpp": text}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content)
        run = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        return run.stdout if run.returncode else ""


def a_class(lines):
    return "namespace {\n\nclass Long final : public Base {\n" + "  int a() { return 1; }\n" * (lines - 2) + "};\n\n}\n"


class Sizes(unittest.TestCase):
    def test_classes_have_at_most_200_lines(self):
        self.assertEqual("", problems(a_class(200)))
        self.assertIn("support/a.cpp Long: a class of more than 200 lines", problems(a_class(201)))

    def test_a_reason_excuses_a_class_and_goes_with_it(self):
        self.assertEqual("", problems(a_class(201), "support/a.cpp Long: a reason\n"))
        self.assertIn("no longer so long", problems(a_class(200), "support/a.cpp Long: a reason\n"))

    def test_files_have_a_limit(self):
        self.assertIn("support/a.cpp: over the hard limit", problems("\n" * 701))


if __name__ == "__main__":
    unittest.main()
