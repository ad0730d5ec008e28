#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_sources.py finds sources that no CMakeLists.txt lists, and names that the tree may not have."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/lint/check_sources.py"


def problems(files, tracked=(".",)):
    """Prints of the check on a repository of these files, with their contents."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        subprocess.run(["git", "-C", folder, "init", "-q"], check=True)
        subprocess.run(["git", "-C", folder, "add", "--", *tracked], check=True)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return run.stdout + run.stderr if run.returncode else ""


class Sources(unittest.TestCase):
    def test_sources_stand_in_a_list(self):
        self.assertEqual("", problems({"kit/a.cpp": "", "kit/CMakeLists.txt": "vdla_library(kit SOURCES a.cpp)"}))
        self.assertIn("kit/a.cpp: not listed in any CMakeLists.txt", problems({"kit/a.cpp": "", "kit/CMakeLists.txt": ""}))

    def test_text_tests_stand_in_a_call(self):
        lists = {"tests/a/CMakeLists.txt": "vdla_text_tests(a loop one)"}
        self.assertEqual("", problems({**lists, "tests/a/text/one.loop": ""}))
        self.assertIn("tests/a/text/two.loop: not listed", problems({**lists, "tests/a/text/two.loop": ""}))

    def test_the_root_has_the_names_that_it_may_have(self):
        self.assertEqual("", problems({"README.md": "", "docs/a.md": ""}))
        self.assertIn("'-': the root has no such name", problems({"-": ""}))
        self.assertIn("'notes': the root has no such name", problems({"notes/a.md": ""}))

    def test_paths_are_names_for_commands(self):
        self.assertEqual("", problems({"docs/a-b_c+d.e/f.md": ""}))
        self.assertIn("'docs/a b.md': has a character", problems({"docs/a b.md": ""}))
        self.assertIn("'docs/\\xe4.md': has a character".encode().decode("unicode_escape"), problems({"docs/\xe4.md": ""}))
        self.assertIn("'docs/-o': a name that begins with '-'", problems({"docs/-o": ""}))
        self.assertIn("'docs/-a/b.md': a name that begins with '-'", problems({"docs/-a/b.md": ""}))

    def test_files_that_git_does_not_track_have_any_name(self):
        self.assertEqual("", problems({"README.md": "", "build/a": "", "-": ""}, tracked=["README.md"]))


if __name__ == "__main__":
    unittest.main()
