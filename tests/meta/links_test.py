#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_links.py names links that lead nowhere, and no others."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/lint/check_links.py"


def problems(line):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs/other.md").write_text("# Other page\n\n## What `it` has: a table\n")
        (root / "docs/page.md").write_text(f"# A page\n\n{line}\n")
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return run.stdout if run.returncode else ""


class Links(unittest.TestCase):
    def test_files_and_headings_are_there(self):
        for good in ("See [it](other.md).", "[it](other.md#what-it-has-a-table)", "| a | [here](#a-page) |", "[web](https://a.example/b)",
                     "`[index](call)`", "    [of code](none.md)"):
            self.assertEqual("", problems(good), good)

    def test_links_that_lead_nowhere_are_named(self):
        self.assertIn("docs/page.md:3: a link leads to no file: none.md", problems("See [it](none.md)."))
        self.assertIn("leads to no heading: other.md#none", problems("* [it](other.md#none)"))
        self.assertIn("leads to no heading: #none", problems("| [it](#none) |"))


if __name__ == "__main__":
    unittest.main()
