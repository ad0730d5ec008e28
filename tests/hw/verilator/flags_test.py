#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The flags of hw/verilator.f mend what Verilator computes wrong, and every call takes them.

usage: flags_test.py ROOT WORK VERILATOR"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT, WORK, VERILATOR = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
FLAGS = ROOT / "hw/verilator.f"
FAULTY = "-fno-const-bit-op-tree"


class Flags(unittest.TestCase):
    def differences(self, flags):
        """Of the module against its reference, verilated with the flags."""
        # In a temporary folder and by bare names: neither Verilator nor make takes a path with spaces.
        with tempfile.TemporaryDirectory() as folder:
            for source in (HERE / "xor_of_a_word_border.sv", HERE / "bench.cpp"):
                shutil.copy(source, folder)
            shutil.copy(flags, pathlib.Path(folder) / "flags.f")
            subprocess.run([VERILATOR, "--cc", "--exe", "--build", "-Wno-fatal", "-f", "flags.f", "--Mdir", ".", "--MAKEFLAGS",
                            "OPT_FAST=-O0 OPT_GLOBAL=-O0", "xor_of_a_word_border.sv", "bench.cpp"], check=True, capture_output=True, cwd=folder)
            return int(subprocess.run([pathlib.Path(folder) / "Vxor_of_a_word_border"], check=True, capture_output=True, text=True).stdout)

    def test_bit_operations_are_right(self):
        self.assertEqual(self.differences(FLAGS), 0)

    def test_bit_operations_are_wrong_when_the_flag_goes(self):
        """Of Debian 12's version. Where another one is right, the flag may go."""
        version = subprocess.run([VERILATOR, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
        without = WORK / "without.f"
        WORK.mkdir(parents=True, exist_ok=True)
        lines = FLAGS.read_text().splitlines()
        self.assertIn(FAULTY, lines)
        without.write_text("\n".join(line for line in lines if line != FAULTY) + "\n")
        wrong = self.differences(without)
        if version == "5.006":
            self.assertGreater(wrong, 0)

    def test_every_call_that_makes_code_takes_the_flags(self):
        calls = 0
        for folder in ["bench", "cmake", "hw", "isa", "scripts", "sim", "tests", "tools"]:
            for path in (ROOT / folder).rglob("*"):
                if path.suffix not in {".sh", ".py", ".txt", ".cpp", ".cmake", ".h"} or path.resolve().parent == HERE:
                    continue
                for call in re.findall(r"--cc\b[^\n]*\n?[^\n]*", path.read_text(errors="replace")):
                    calls += 1
                    self.assertIn("verilator.f", call, f"{path} calls Verilator without -f hw/verilator.f")
        self.assertGreaterEqual(calls, 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
