#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lint of comments finds first words and phrases in the comments of each language, and nowhere else."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/lint/check_comments.py"


def run(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return done.returncode, done.stdout


class Comments(unittest.TestCase):
    def expect_found(self, name, text, *places):
        status, output = run(name, text)
        self.assertEqual(status, 1, text)
        self.assertEqual([line.split(": ")[0] for line in output.splitlines()], [f"{name}:{line}" for line in places], output)

    def expect_nothing(self, name, text):
        self.assertEqual(run(name, text), (0, ""), text)

    def test_first_words_are_found_in_each_language(self):
        for name, text, line in (
                ("a.h", "// SPDX-License-Identifier: Apache-2.0\n// What a file is for.\n", 2),
                ("a.h", "/// Of a node.\nint f();\n", 1),
                ("a.h", "int a = 0;  ///< of a node\n", 1),
                ("a.cpp", "int a;\nint b;  // where it is\n", 2),
                ("a.c", "int a;\n/* The same,\n * again. */\n", 2),
                ("a.sv", "  input logic a,  // in\n", 1),
                ("a.cmake", "set(a 1)\n# Which parts there are.\n", 2),
                ("b/CMakeLists.txt", "# Those of the kit.\n", 1),
                ("a.sh", "#!/bin/sh\n  # By name.\n", 2),
                ("a.py", '"""What it does."""\n', 1),
                ("a.py", 'def f():\n    """Whose it is."""\n', 2),
                ("a.py", "a = 1  # that is read\n", 1)):
            with self.subTest(text):
                self.expect_found(name, text, line)

    def test_phrases_are_found_in_every_line(self):
        self.expect_found("a.h", "/// Returns it.\n/// Nobody reads it, or somebody\n/// hears of it.\nint f();\n", 2, 2, 3)

    def test_tests_keep_what_they_had_and_get_no_more(self):
        text = "// What it is.\nint a;\n// Of it.\n"
        self.expect_found("tests/a.cpp", text, 1, 3)
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "tools/lint/comments_of_tests.txt"
            for path in (kept, pathlib.Path(folder) / "tests/a.cpp"):
                path.parent.mkdir(parents=True)
                path.write_text(text)
            for count, words in ((2, ""), (1, "tests/a.cpp:3"), (3, "has 2 of 3")):
                kept.write_text(f"# FILE COUNT\ntests/a.cpp {count}\n")
                done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
                self.assertIn(words, done.stdout)
                self.assertEqual(done.returncode, 0 if words == "" else 1)
            kept.write_text("tests/b.cpp 1\n")
            done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
            self.assertIn("tests/b.cpp is not there", done.stdout)

    def test_other_words_and_lines_are_taken(self):
        for name, text in (
                ("a.h", "/// Returns what is read,\n/// of a node.\n///\n/// What follows is no first word.\nint f();\n"),
                ("a.cpp", 'const char* a = "// What";\nconst char* b = R"(\n// Of\n)";\nchar c = \'"\';  // a letter\n'),
                ("a.cpp", "int a = 1'000;  // Whatever is there, thatched, office, insn\n"),
                ("a.py", 'a = "# What"\nb = """\nOf all\n"""\n'),
                ("a.sh", "echo '# what'\n"),
                ("isa/generated/a.h", "// What is generated neither.\n")):
            with self.subTest(text):
                self.expect_nothing(name, text)


if __name__ == "__main__":
    unittest.main()
