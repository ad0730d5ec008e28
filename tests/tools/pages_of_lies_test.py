#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/tools/pages_test.py finds what a page says and its commands do not do, with the line."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("pages_test.py")


def run(text, head="<!-- commands: run -->", data=None):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "page.md").write_text(f"{head}\n\n{text}")
        environment = {name: value for name, value in os.environ.items() if name != "VDLA_DATA"}
        if data:
            environment["VDLA_DATA"] = data
        done = subprocess.run([sys.executable, SCRIPT, "/bin/true", folder, "page.md"], capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout


class Pages(unittest.TestCase):
    def test_what_is_printed_is_compared_line_by_line(self):
        shown = "```console\n$ printf 'a\\nb 1\\n'\n{}\n```\n"
        self.assertEqual(run(shown.format("a\nb 1")), (0, "page.md: 1 blocks ran\n"))
        for wrong in ("a", "a\nb 2", "a\nb 1\nc", "b 1\na"):
            status, output = run(shown.format(wrong))
            self.assertEqual(status, 1, wrong)
            self.assertIn("page.md:4: $ printf", output)
            self.assertIn("    b 1\n", output)

    def test_dots_are_any_text_and_durations_differ(self):
        shown = "```console\n$ printf 'x 7 y\\np\\nq\\n2.25 s, 3 us\\n'\n{}\n```\n"
        self.assertEqual(run(shown.format("x ... y\n...\n1.0 s, 12 us"))[0], 0)
        self.assertEqual(run(shown.format("...\nq\n..."))[0], 0)
        self.assertEqual(run(shown.format("x ... z\n...\n1.0 s, 12 us"))[0], 1)
        self.assertEqual(run(shown.format("x ... y\n...\n1.0 ms, 12 us"))[0], 1)

    def test_commands_of_a_block_must_succeed_and_see_files_of_the_page(self):
        self.assertEqual(run("```text file=a.txt\none\n```\n```sh\ngrep one a.txt\n```\n")[0], 0)
        status, output = run("text\n\n```sh\ntrue\nfalse\n```\n")
        self.assertEqual(status, 1)
        self.assertIn("page.md:6: ends with status 1", output)

    def test_a_block_that_is_not_run_says_why(self):
        self.assertEqual(run("```sh not-run: needs a board\nfalse\n```\n")[0], 0)
        self.assertEqual(run("```sh not-run\nfalse\n```\n")[0], 1)
        self.assertEqual(run("```\nfalse\n```\n")[0], 1)

    def test_a_page_of_models_needs_them(self):
        head = "<!-- commands: run m=here/m.onnx -->"
        self.assertEqual(run("```sh\ntrue\n```\n", head)[0], 77)
        with tempfile.TemporaryDirectory() as data:
            status, output = run("```sh\ntest -e m\n```\n", head, data)
            self.assertEqual(status, 1)
            self.assertIn("here/m.onnx", output)
            (pathlib.Path(data) / "here").mkdir()
            (pathlib.Path(data) / "here/m.onnx").write_text("")
            self.assertEqual(run("```sh\ntest -e m\n```\n", head, data)[0], 0)


if __name__ == "__main__":
    unittest.main()
