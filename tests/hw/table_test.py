# SPDX-License-Identifier: Apache-2.0
"""Tests of hw/synth/table.py, and that the results in the tree are what it makes of their cells."""
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "hw/synth"))
import table  # noqa: E402


class Table(unittest.TestCase):
    def test_cells_of_submodules_count_as_often_as_they_are_used(self):
        modules = {"machine_0": {"lane": 3, "LUT6": 1}, "lane": {"LUT6": 2, "mul": 4}, "mul": {"DSP48E1": 2}}
        self.assertEqual(table.totals(modules, "machine_0"), {"LUT6": 7, "DSP48E1": 24})

    def test_statistics_of_nested_modules_are_read(self):
        text = ("3. Printing statistics.\n\n=== $paramod\\lane\\W=4 ===\n\n   Number of cells:                  2\n     LUT6       2\n\n"
                "=== around ===\n\n   Number of cells:    4\n     $paramod\\lane\\W=4      3\n     FDRE    1\n\n"
                "=== design hierarchy ===\n\n   around      1\n     $paramod\\lane\\W=4     3\n\n     LUT6    6\n")
        self.assertEqual(table.statistics_of(text), {"$paramod\\lane\\W=4": {"LUT6": 2}, "around": {"$paramod\\lane\\W=4": 3, "FDRE": 1}})

    def test_memory_in_luts_counts_as_luts(self):
        taken = table.resources({"LUT2": 5, "LUT6": 10, "RAM32M": 2, "RAM64X1D": 1, "FDRE": 7, "FDSE": 1, "RAMB36E1": 3, "RAMB18E1": 5, "DSP48E1": 9,
                                 "CARRY4": 4, "MUXF7": 2})
        self.assertEqual((taken["lut"], taken["lut_logic"], taken["lut_memory"]), (25, 15, 10))
        self.assertEqual((taken["ff"], taken["dsp"], taken["ramb36"], taken["ramb18"]), (8, 9, 3, 5))
        self.assertEqual(table.bram36(taken), 6)

    def test_cells_that_nobody_knows_are_named(self):
        self.assertEqual(table.unknown_cells({"LUT6": 1, "$mul": 2, "URAM288": 1, "RAM64M": 3}), ["$mul", "URAM288"])
        self.assertEqual(table.unknown_cells({"FDRE": 1, "BUFG": 1, "BUFGCE": 1, "LDCE": 1, "FDCE": 1}), ["BUFGCE", "FDCE", "LDCE"])

    def test_memories_that_became_luts_are_named(self):
        log = ("2.1. Executing AST frontend in derive mode using pre-parsed AST for module `\\vdla_ram_1r1w'.\nParameter \\Width = 64\nParameter \\Depth = 512\n"
               "Generating RTLIL representation for module `$paramod$1\\vdla_ram_1r1w'.\nParameter \\Width = 9\n"
               "2.2. Executing AST frontend in derive mode using pre-parsed AST for module `\\vdla_fifo'.\nParameter \\Width = 12\nParameter \\Depth = 64\n"
               "Generating RTLIL representation for module `$paramod$2\\vdla_fifo'.\n"
               "mapping memory $paramod$1\\vdla_ram_1r1w.mem via $__XILINX_{}\nmapping memory $paramod$2\\vdla_fifo.mem via $__XILINX_LUTRAM_SDP_\n"
               "using FF mapping for memory $paramod$3\\vdla_ram_1r1w.mem\n")
        fifo = {"module": "vdla_fifo", "width": 12, "depth": 64, "place": "LUTs"}
        good, bad = (list(table.memories_of(log.format(place)).values()) for place in ("BLOCKRAM_TDP_", "LUTRAM_SDP_"))
        self.assertEqual(good, [{"module": "vdla_ram_1r1w", "width": 64, "depth": 512, "place": "block RAM"}, fifo,
                                {"module": "vdla_ram_1r1w", "place": "flip-flops"}])
        self.assertEqual((table.misplaced(good), table.misplaced(bad)), ([], [{**good[0], "place": "LUTs"}]))

    def test_modules_below_a_machine_are_its_own(self):
        modules = {"machine_0": {"lane": 3}, "lane": {"mul": 4, "LUT6": 2}, "mul": {}, "other": {"mul": 1}}
        self.assertEqual(table.reachable(modules, "machine_0"), {"machine_0", "lane", "mul"})

    def test_a_part_that_is_too_small_says_of_what(self):
        part = {"lut": 100, "ff": 100, "dsp": 10, "bram36": 4}
        small = {"lut": 50, "ff": 20, "dsp": 5, "ramb36": 3, "ramb18": 1}
        self.assertEqual(table.fits(small, part), "100 %")
        self.assertEqual(table.fits({**small, "dsp": 20, "ramb18": 3}, part), "no: DSP 200 %, BRAM36 125 %")

    def test_machines_around_name_every_parameter(self):
        text = table.around([{"batch": 1, "inp_depth": 64}, {"batch": 2, "inp_depth": 32}])
        self.assertIn("vdla_top #(.Batch(2), .InpDepth(32)) u_top", text)
        self.assertIn("machine_1 u_1", text)
        self.assertIn("vdla_axi #(.Axi3(1), .Batch(1)) u_axi (.aclk(clk_i)", table.around([{"batch": 1}], "axi3"))

    def test_results_are_what_their_cells_say(self):
        for path in sorted((ROOT / "hw/synth/results").glob("*.json")):
            result = json.loads(path.read_text())
            if "cells" not in result:  # kept before cells were
                continue
            with self.subTest(path.name):
                self.assertEqual(table.resources(result["cells"]), {k: result[k] for k in table.resources({})})
                self.assertEqual(table.unknown_cells(result["cells"]), [])

    def test_the_page_shows_the_table_of_the_results(self):
        page = (ROOT / "docs/verification.md").read_text()
        parts = json.loads((ROOT / "boards/parts.json").read_text())
        for line in table.table(ROOT / "hw/synth/results", parts).splitlines():
            self.assertIn(line, page)


if __name__ == "__main__":
    unittest.main()
