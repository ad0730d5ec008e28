#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lint of prose finds what is too long, leaves tables and code alone, and mends it without changing what stands
there."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/lint/check_prose.py"
LONG = " ".join(["word"] * 40)


def run(text, *flags, name="a.md"):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / name
        file.write_text(text)
        done = subprocess.run([sys.executable, CHECK, *flags, folder], capture_output=True, text=True)
        return done.returncode, done.stdout, file.read_text()


class Prose(unittest.TestCase):
    def test_a_long_line_is_named(self):
        status, output, _ = run(f"short\n{LONG}\n")
        self.assertEqual(status, 1)
        self.assertIn("a.md:2: 199 columns", output)

    def test_a_long_comment_is_named(self):
        for name, text in (("a.py", f"# {LONG}\n"), ("a.py", f'def f():\n    """{LONG}"""\n'), ("CMakeLists.txt", f"  # {LONG}\n"),
                           ("a.cmake", f"# {LONG}\n"), ("a.sh", f"# {LONG}\n")):
            status, output, _ = run(text, name=name)
            self.assertEqual(status, 1)
            self.assertIn("comments end within 120", output)

    def test_code_and_tables_in_comments_may_go_on(self):
        for name, text in (("a.py", f'x = "{LONG}"\n'), ("a.sh", f"echo {LONG}\n"), ("a.sh", f"# a option  {LONG}\n")):
            self.assertEqual(run(text, name=name), (0, "", text))

    def test_tables_code_headings_and_links_may_go_on(self):
        for text in (f"| {LONG} |\n", f"```\n{LONG}\n```\n", f"    {LONG}\n", f"# {LONG}\n", f"[{LONG}](x)\n", f"`{LONG}`\n"):
            self.assertEqual(run(text), (0, "", text))

    def test_mended_text_has_the_same_words_and_stays_as_it_is(self):
        for text in (f"{LONG}\n", f"* {LONG}\n  * {LONG}\n", f"1. {LONG}\n   {LONG}\n\nend\n"):
            mended = run(text, "--fix")[2]
            self.assertEqual(mended.split(), text.split())
            self.assertEqual(run(mended), (0, "", mended))
            self.assertEqual(run(mended, "--fix")[2], mended)

    def test_no_line_becomes_an_item_of_a_list(self):
        for word in ("-", "1.", "+", "|"):
            text = " ".join(["word"] * 24) + f" {word} " + LONG + "\n"
            for line in run(text, "--fix")[2].split("\n"):
                self.assertFalse(line.startswith(word), line)


if __name__ == "__main__":
    unittest.main()
