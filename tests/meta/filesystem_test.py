#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_filesystem.py finds calls that throw at a closed folder, and none of those that do not."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/lint/check_filesystem.py"


def problems(text, name="tools/a.cpp"):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / name
        source.parent.mkdir()
        source.write_text(text)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return run.stdout if run.returncode else ""


class Filesystem(unittest.TestCase):
    def test_a_call_without_an_error_code_is_named(self):
        self.assertIn("tools/a.cpp:2: exists() throws", problems("\nbool b = fs::exists(folder / name(1, 2));\n"))
        self.assertIn("rename() throws", problems("std::filesystem::rename(a, b);"))
        self.assertIn("directory_iterator() throws", problems("fs::directory_iterator at(folder);"))
        self.assertIn("temp_directory_path() throws", problems("fs::path p = fs::temp_directory_path();"))

    def test_a_call_with_an_error_code_passes(self):
        self.assertEqual("", problems("std::error_code none, other;\nbool b = fs::exists(a / f(b, c), none);\nfs::remove(a, other);\n"))
        self.assertEqual("", problems("void f(std::error_code& error) { fs::directory_iterator at(folder, error); }"))
        self.assertIn("exists() throws", problems("fs::exists(a, none);"), "a variable of that name is no error code")

    def test_a_folder_is_not_read_by_a_range_for(self):
        self.assertIn("range for", problems("std::error_code e;\nfor (const auto& x : fs::directory_iterator(folder, e)) f(x);"))
        self.assertIn("is_regular_file() of a folder's entry", problems("if (entry.is_regular_file()) f();"))

    def test_comments_strings_and_tests_are_left_alone(self):
        self.assertEqual("", problems('// fs::exists(a)\nconst char* t = "fs::exists(a)";'))
        self.assertEqual("", problems("fs::exists(a);", "tests/a.cpp"))


if __name__ == "__main__":
    unittest.main()
