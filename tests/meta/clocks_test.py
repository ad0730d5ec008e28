#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lint of clocks finds numbers of MHz and of frames a second that do not say where they come from, in the sentence
or cell itself."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/lint/check_clocks.py"


def run(text):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "a.md").write_text(text)
        done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return done.returncode, done.stdout


class Clocks(unittest.TestCase):
    def test_a_clock_without_its_source_is_named(self):
        for text in ("ResNet-8 takes 1 ms at 100 MHz.\n", "It runs at\n200 MHz.\n", "| a | 100 MHz |\n|---|---|\n", "# 1.5 GHz\n", "    $ x\n    66 MHz\n",
                     "It makes 30 frames a second.\n", "* 12.5 fps\n",
                     "| clock |\n|---|\n| 100 MHz |\n"):
            with self.subTest(text):
                status, output = run(text)
                self.assertEqual(status, 1)
                self.assertIn("no board has run at it", output)

    def test_another_sentence_or_cell_does_not_speak_for_it(self):
        for text in ("The clock is assumed. It is 100 MHz.\n", "| assumed | 100 MHz |\n|---|---|\n| x | y |\n",
                     "| network | frames a second |\n|---|--:|\n| resnet8 | 484.1 |\n", "| part | MHz, assumed |\n|---|---|\n| a | 100 |\n"):
            with self.subTest(text):
                self.assertEqual(run(text)[0], 1)

    def test_what_says_its_source_is_taken(self):
        for text in ("1 ms at an assumed 100 MHz.\n", "100 MHz are asked of the tools.\n", "VTA's published geometry has 100\nMHz.\n", "The lane has 70 MHz routed.\n",
                     "tiny has 55 MHz by analysis.\n",
                     "| network | frames a second |\n|---|--:|\n| resnet8 | 484.1 at assumed 100 MHz |\n", "The MHz are left out.\n",
                     "| clock | 100 MHz asked for, not measured |\n|---|---|\n"):
            with self.subTest(text):
                self.assertEqual(run(text), (0, ""))


if __name__ == "__main__":
    unittest.main()
