#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hardware names fields of an instruction by the structs of vdla_isa_pkg, and the widths of whole instructions and
of all windows by names. Bits of registers, which have no struct, are placed by their names.
usage: fields_test.py ROOT"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
# The package states a width for each field of an instruction, a mask for bits of registers.
FIELDS = re.findall(r"localparam int unsigned (\w+)Width = ", (ROOT / "isa/generated/vdla_isa_pkg.sv").read_text())
POSITION = re.compile(rf"vdla_isa_pkg::(?:{'|'.join(FIELDS)})Lsb\b|\[\s*511\s*:\s*0\s*\]")


def positions(text):
    return [f"{number}: {line.strip()}" for number, line in enumerate(text.splitlines(), 1) if POSITION.search(line)]


class Fields(unittest.TestCase):
    def test_are_named(self):
        sources = [*sorted((ROOT / "hw/rtl").rglob("*.sv")), *sorted((ROOT / "hw/checks").glob("*.svh"))]
        self.assertGreater(len(sources), 30)
        self.assertGreater(len(FIELDS), 50)
        self.assertEqual([], [f"{s.relative_to(ROOT)}:{p}" for s in sources for p in positions(s.read_text())])

    def test_a_position_is_found(self):
        self.assertEqual(["2: assign a = insn_i[vdla_isa_pkg::MemoryRunLsb +: 16];", "3: logic [511:0] window_base;"],
                         positions("assign b = insn_i.run;\nassign a = insn_i[vdla_isa_pkg::MemoryRunLsb +: 16];\nlogic [511:0] window_base;\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
