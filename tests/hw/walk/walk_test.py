#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vdla_walk on random patterns, with the parameters of each unit that walks. usage: walk_test.py ROOT VERILATOR"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT, VERILATOR = pathlib.Path(sys.argv[1]), sys.argv[2]
PATTERNS = 400


class Walk(unittest.TestCase):
    def walk(self, count, index, stride, row):
        """Pieces that were wrong, all, cycles in which it waited, pieces of positions that share entries."""
        # In a temporary folder and by bare names: neither Verilator nor make takes a path with spaces.
        with tempfile.TemporaryDirectory() as folder:
            for source in ("isa/generated/vdla_isa_pkg.sv", "hw/rtl/common/vdla_pkg.sv", "hw/rtl/common/vdla_walk.sv", "hw/verilator.f"):
                shutil.copy(ROOT / source, folder)
            shutil.copy(HERE / "bench.cpp", folder)
            subprocess.run([VERILATOR, "--cc", "--exe", "--build", "-Wall", "-f", "verilator.f", "--x-initial", "unique", "--Mdir", ".",
                            f"-GCountW={count}", f"-GIndexW={index}", f"-GStrideW={stride}", f"-GRowW={row}", "--top-module", "vdla_walk",
                            "--MAKEFLAGS", "OPT_FAST=-O0 OPT_GLOBAL=-O0", "vdla_isa_pkg.sv", "vdla_pkg.sv", "vdla_walk.sv", "bench.cpp"],
                           check=True, capture_output=True, cwd=folder)
            run = subprocess.run([pathlib.Path(folder) / "Vvdla_walk", *map(str, (PATTERNS, count, index, stride, row))], check=True,
                                 capture_output=True, text=True)
            return map(int, run.stdout.split())

    def test_of_load_and_store(self):
        for count in (18, 16):
            with self.subTest(count=count):
                wrong, pieces, waits, shared = self.walk(count, 16, 16, 5)
                self.assertEqual(wrong, 0)
                self.assertGreater(min(pieces // PATTERNS, waits // PATTERNS, shared // PATTERNS), 10)

    def test_of_the_requests(self):
        wrong, pieces, waits, shared = self.walk(16, 48, 32, 1)
        self.assertEqual((wrong, shared), (0, 0))
        self.assertGreater(min(pieces // PATTERNS, waits // PATTERNS), 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
