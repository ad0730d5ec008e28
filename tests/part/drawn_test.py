#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands are drawn as cases of programs are (part_test), and the others say that they do not run."""
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import drawn  # noqa: E402

# Drops the VDLA_WHOLE that a whole run sets for its tests.
INHERITED = {name: value for name, value in os.environ.items() if name != "VDLA_WHOLE"}


def run(number, **environment):
    done = subprocess.run([sys.executable, HERE / "drawn.py", "fuzz", str(number), "3", "sh", "-c", "echo ran; exit 5"],
                          capture_output=True, text=True, env={**INHERITED, **environment})
    return done.returncode, done.stdout


class Drawn(unittest.TestCase):
    def test_numbers_are_those_of_part_cpp(self):
        self.assertEqual(drawn.draw("RtlCoverage", 6, "71e08e3e0000"), 0)
        self.assertEqual(drawn.draw("RtlCoverage", 6, "71e08e3e0001"), 1)

    def test_one_of_the_commands_runs_and_the_others_say_that_they_do_not(self):
        results = [run(number, VDLA_DRAW="x") for number in range(3)]
        self.assertEqual(sorted(status for status, _ in results), [0, 0, 5])
        for status, output in results:
            self.assertEqual(output, "ran\n" if status else
                             "part: it does not run, not drawn: one in 3 is, by 'x'; `ctest -C Campaign -L whole` runs all\n")

    def test_all_of_them_run_on_request(self):
        for number in range(3):
            self.assertEqual(run(number, VDLA_WHOLE="1"), (5, "ran\n"))


if __name__ == "__main__":
    unittest.main()
