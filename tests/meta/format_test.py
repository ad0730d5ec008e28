#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_format.py names sources that the formatter would change, and no others."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def problems(sources, ignore=""):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / ".clang-format-ignore").write_text(ignore)
        shutil.copy(ROOT / ".clang-format", root)
        for name, text in sources.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        run = subprocess.run([sys.executable, ROOT / "tools/lint/check_format.py", folder], capture_output=True, text=True)
        return run.stdout if run.returncode else ""


class Format(unittest.TestCase):
    def test_sources_that_the_formatter_would_change_are_named(self):
        found = problems({"support/a.cpp": "int  a;\n", "support/b.h": "int b;\n", "driver/c.c": "int c ;\n"})
        self.assertIn("support/a.cpp: not as clang-format-19 writes it", found)
        self.assertIn("driver/c.c", found)
        self.assertNotIn("b.h", found)

    def test_files_of_the_ignore_list_stand_as_they_are(self):
        self.assertEqual("", problems({"isa/spec/table.h": "int  a;\n"}, "isa/spec/*.h\n"))


if __name__ == "__main__":
    unittest.main()
