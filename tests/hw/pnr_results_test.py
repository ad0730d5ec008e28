# SPDX-License-Identifier: Apache-2.0
"""Tests of the results of place and route (hw/synth/results/pnr): those of other sources are named, the analysis agrees
with what was routed, and the page shows them. Results that are of other sources fail nothing: they cost minutes to an
hour to renew (`hw/synth/pnr.sh`), and the table says what they are of."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "hw/synth"))
from sta import results, routed, shell  # noqa: E402


def result(**changes):
    path = {"routed": {"ns": 9.0, "from": "a_q", "to": "b_q.D"}, "analysis": {"ns": 8.0}}
    return {"name": "control", "module": "vdla_control", "parameters": {}, "use": {"SLICE_LUTX": 5}, "analysis": results.hash_of_analysis(ROOT),
            "sources": results.hashes(["hw/rtl/top/vdla_control.sv"], ROOT), "units": {"control": path}, "paths": {"b_q.D": path}, **changes}


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tree(self):
        """A copy of the sources that a result depends on."""
        for file in [*results.ANALYSIS, *result()["sources"]]:
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, self.folder / file)
        results.write(self.folder / "results", result())
        return self.folder

    def test_a_result_of_these_sources_is_not_named(self):
        self.assertEqual(results.stale_lines(self.tree() / "results", self.folder), [])

    def test_a_result_of_other_rtl_is_named_with_what_changed(self):
        (self.tree() / "hw/rtl/top/vdla_control.sv").write_text("module vdla_control; endmodule\n")
        (named,) = results.stale_lines(self.folder / "results", self.folder)
        self.assertIn("results/pnr/control.json is of other sources: hw/rtl/top/vdla_control.sv changed; `hw/synth/pnr.sh control`", named)

    def test_a_result_of_another_analysis_is_analysed_again(self):
        (self.tree() / "hw/synth/sta/nets.py").write_text("BASE = 0.5\n")
        (named,) = results.stale_lines(self.folder / "results", self.folder)
        self.assertIn("the analysis changed; `hw/synth/pnr.sh --again control`", named)

    def test_a_netlist_that_does_not_route_is_a_row_with_its_reason(self):
        results.write(self.folder, result(not_routed="a cascade is too long", units={}, paths={}))
        self.assertEqual(results.table(self.folder)[2:], ["| `control` | 5 | 0 | 0 | | | | | a cascade is too long |"])

    def test_tools_that_cannot_be_had_are_a_reason_to_skip(self):
        environment = {**os.environ, "VDLA_DEBIAN_MIRROR": f"file:{self.folder}/no-mirror"}
        done = subprocess.run([ROOT / "hw/synth/pnr.sh", "--build", self.folder, "lane"], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertRegex(done.stdout, "^pnr.sh: the tools for place and route cannot be had: .+")

    def test_a_shell_has_registers_at_each_port_and_one_output(self):
        ports = {"clk_i": ("input", 1), "aresetn": ("input", 1), "a_i": ("input", 3), "b_i": ("input", 1), "y_o": ("output", 8)}
        text = shell.source(types.SimpleNamespace(module="unit", parameters={"Width": 8}), ports)
        for line in ("shell_a_i <= {shell_a_i[1:0], sin_i};", "shell_b_i <= shell_a_i[2];", "y_o <= shell_y_o;", "logic [1:0] shell_fold0;", "logic [0:0] shell_fold1;",
                     "assign sout_o = shell_fold1[0];", "unit #(.Width(8)) u_dut (", ".clk_i(clk_i)", ".aresetn(!shell_reset)", ".y_o(shell_y_o));"):
            self.assertIn(line, text)

    def test_wires_are_found_by_name_and_pin(self):
        lines = [r"  (INTERCONNECT u\.a\[0\]/CO3 b$split$muxcy0$PACKED_CARRY4$/CIN (20:21:22) (20:21:22))", "(IOPATH A1 O6 (1:2:3))",
                 r"  (INTERCONNECT u\.mem\.0/DPR0_1/O5 $abc$7/A3 (470:475:480) (470:475:480))"]
        self.assertEqual(routed.wires_of(lines), {("u.a[0]", "b$split$muxcy0$PACKED_CARRY4$"): [("CO3", "CIN", 0.022)],
                                                  ("u.mem.0", "$abc$7"): [("O5", "A3", 0.48)]})


class Recorded(unittest.TestCase):
    def test_results_of_other_sources_are_named(self):
        for line in results.stale_lines():
            print(f"part: {line}")

    def test_the_analysis_agrees_with_what_was_routed(self):
        ratios = [ratio for one in results.read_all() for ratio in results.ratios(one)]
        self.assertGreater(len(ratios), 60)
        self.assertTrue(0.8 <= results.geometric_mean(ratios) <= 1.25, results.geometric_mean(ratios))

    def test_nearly_all_nets_of_a_result_are_routed_ones(self):
        for one in results.read_all():
            counts = one.get("nets", {"direct": 1})
            with self.subTest(one["name"]):
                self.assertLess(counts.get("estimated", 0), 0.02 * sum(counts.values()))

    def test_the_page_shows_the_table_of_the_results(self):
        page = (ROOT / "docs/verification.md").read_text()
        for row in results.table():
            self.assertTrue(row in page, f"docs/verification.md has no row: {row}")


if __name__ == "__main__":
    unittest.main()
