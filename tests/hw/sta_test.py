# SPDX-License-Identifier: Apache-2.0
"""Tests of the static timing analysis (hw/synth/sta) on small netlists whose delays are added by hand."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "hw/synth"))
from sta import budget, cells, netlist, nets, paths, rules, target  # noqa: E402

SPECIFY = """
module LUT2(output O, input I0, I1);
  specify
    (I0 => O) = 238; // slow
    (I1 => O) = 127;
  endspecify
endmodule
module CARRY4(output [3:0] CO, O, input CI, input [3:0] S);
  specify
    (S[0] => CO[0]) = 340;
  endspecify
endmodule
module FDRE(output Q, input C, CE, D, R);
  specify
    $setup(D , posedge C &&& CE , /*-46*/ 0); // Negative times not currently supported
    $setup(CE, posedge C, 109);
    if (R) (posedge C => (Q : 1'b0)) = 303;
  endspecify
endmodule
module RAMB36E1(output [31:0] DOADO, input CLKARDCLK, input [15:0] ADDRARDADDR);
  specify
    $setup(ADDRARDADDR, posedge CLKARDCLK, 566);
    if (&DOA_REG) (posedge CLKARDCLK => (DOADO : 32'bx)) = 2454;
  endspecify
endmodule
"""
ROWS = [{"cell": "FDRE", "when": {}, "launch": {"Q": 0.456}, "setup": {"CE": 0.205}},
        {"cell": "RAMB36E1", "when": {"DOA_REG": 1}, "launch": {"DOADO": 0.882}},
        {"cell": "DSP48E1", "when": {"MREG": 0, "PREG": 0}, "arcs": {"A": {"P": 3.841, "PCOUT": 4.036}, "PCIN": {"P": 1.518, "PCOUT": 1.713}}},
        {"cell": "DSP48E1", "when": {"PREG": 1}, "launch": {"P": 0.434}, "setup": {"A": 3.722, "PCIN": 1.4}}]
LIBRARY = cells.Library(SPECIFY, ROWS)
CLOCK = 2


def cell(kind, outputs, parameters=None, **pins):
    return {"type": kind, "parameters": parameters or {}, "connections": {name: bits if isinstance(bits, list) else [bits] for name, bits in pins.items()},
            "port_directions": {name: "output" if name in outputs else "input" for name in pins}}


def register(d, q, ce="1"):
    return cell("FDRE", "Q", C=CLOCK, D=d, Q=q, CE=ce, R="0")


def multiplier(number, first, **registers):
    """A multiplier of a cascade: nets 100 + number lead from one to the next."""
    pins = {"A": [first], "PCOUT": [100 + number]} if number == 0 else {"A": [first], "PCIN": [99 + number], "PCOUT": [100 + number]}
    return cell("DSP48E1", ("PCOUT", "P"), {"MREG": 0, "PREG": 0, **registers}, CLK=CLOCK, **pins)


def design(cells, names=None, ports=None):
    nets = {name: {"bits": bits, "hide_name": int(name.startswith("$"))} for name, bits in (names or {}).items()}
    return netlist.Netlist({"cells": cells, "netnames": nets, "ports": ports or {}}, "machine")


def analysis(*arguments, late=()):
    return paths.Analysis(design(*arguments), LIBRARY, nets.estimate, late)


class Cells(unittest.TestCase):
    def test_the_table_counts_before_the_specify_block(self):
        timing = LIBRARY.of("FDRE", ())
        self.assertEqual((timing.launch[("Q", None)], timing.setup[("CE", None)], timing.setup[("D", None)]), (0.456, 0.205, 0.0))

    def test_rows_hold_for_their_parameters(self):
        self.assertEqual(LIBRARY.of("RAMB36E1", (("DOA_REG", 0),)).launch[("DOADO", None)], 2.454)
        self.assertEqual(LIBRARY.of("RAMB36E1", (("DOA_REG", 1),)).launch[("DOADO", None)], 0.882)

    def test_each_row_of_the_table_names_its_source(self):
        library = cells.Library.standard() if cells.shutil.which("yosys") else self.skipTest("no yosys; install the package 'yosys'")
        self.assertGreater(len(library.rows), 50)
        for row in library.rows:
            self.assertTrue(row["source"] and {"launch", "setup", "arcs"} & row.keys(), row)


class Names(unittest.TestCase):
    def test_a_register_goes_before_its_aliases(self):
        names = netlist.names_of({"u_a.busy_q": {"bits": [5]}, "busy": {"bits": [5]}, "$procmux$1_Y": {"bits": [5, 6], "hide_name": 1}})
        self.assertEqual(names, {5: "u_a.busy_q", 6: "$procmux$1_Y[1]"})

    def test_numbers_of_yosys_are_no_part_of_a_name(self):
        self.assertEqual(netlist.readable("$flatten\\u_top.\\u_array.$mul$hw/rtl/gemm/vdla_gemm_array.sv:25$8575.genblk1.mul"),
                         "u_top.u_array.mul@vdla_gemm_array.sv:25.mul")

    def test_the_innermost_unit_has_the_path(self):
        machine = design({})
        self.assertEqual(machine.unit("u_core.gen_front[0].u_front.u_queue.data_q[3]", ["front", "core"]), "front")
        self.assertEqual(machine.unit("u_other.busy_q", ["front"]), "machine")


class Paths(unittest.TestCase):
    def test_delays_of_cells_and_nets_add_up(self):
        found = analysis({"a": register("0", 3), "lut": cell("LUT2", "O", I0=3, I1="1", O=4), "b": register(4, 5), "c": register(4, 6)},
                         {"a_q": [3], "b_q": [5], "c_q": [6]})
        path = found.path(found.ends[0])
        self.assertEqual((path.start, path.end.name, path.end.pin), ("a_q", "b_q", "D"))
        self.assertAlmostEqual(path.ns, 0.456 + 0.45 + 0.238 + (0.45 + 0.17))

    def test_the_last_net_takes_the_fast_pin_of_a_lut(self):
        found = analysis({"a": register("0", 3), "first": cell("LUT2", "O", I0=3, I1="1", O=4), "second": cell("LUT2", "O", I0=4, I1=3, O=5),
                          "b": register(5, 6)}, {"a_q": [3], "b_q": [6]})
        self.assertAlmostEqual(found.ends[0].ns, 0.456 + (0.45 + 0.17) + 0.238 + 0.45 + 0.127)

    def test_a_cascade_is_the_sum_of_its_multipliers(self):
        found = analysis({"a": register("0", 3), "m0": multiplier(0, 3), "m1": multiplier(1, "0"), "m2": multiplier(2, "0", PREG=1)}, {"a_q": [3]})
        self.assertAlmostEqual(found.ends[0].ns, 0.456 + (0.45 + 0.35) + 4.036 + 0.05 + 1.713 + 0.05 + 1.4)

    def test_ports_are_registers_or_block_ram(self):
        ports = {"early_i": {"direction": "input", "bits": [3]}, "late_i": {"direction": "input", "bits": [4]}}
        parts = {"a": register(3, 5), "b": register(4, 6)}
        early, late = (analysis(parts, {}, ports, late=late).ends[0].ns for late in ((), ("late_i",)))
        self.assertAlmostEqual(late - early, 2.454 - 0.456)

    def test_an_output_register_in_a_shell_is_the_modules(self):
        found = design({"a": register("0", 3)}, {"shell_sum_o": [3], "u_dut.sum_o": [3]})
        self.assertEqual(found.place(found.cells["a"]), "u_dut.sum_o")

    def test_a_loop_is_named(self):
        with self.assertRaisesRegex(paths.Unknown, "2 nets are in loops without a register, among them ring"):
            analysis({"a": cell("LUT2", "O", I0=3, I1="1", O=4), "b": cell("LUT2", "O", I0=4, I1="1", O=3)}, {"ring": [3], "wire": [4]})

    def test_a_pin_without_times_is_named(self):
        self.assertEqual(analysis({"a": register("0", 3), "ram": cell("RAMB36E1", "DOADO", CLKARDCLK=CLOCK, NEWPIN=3)}).unknown, {"RAMB36E1.NEWPIN"})


class Rules(unittest.TestCase):
    def cascade(self, length, **registers):
        return design({f"u_a.m{i}": multiplier(i, 3, **registers) for i in range(length)})

    def test_multipliers_behind_each_other_need_a_register(self):
        self.assertEqual(rules.unregistered_multipliers(self.cascade(3)), ["u_a.m0", "u_a.m1"])
        self.assertEqual(rules.unregistered_multipliers(self.cascade(3, MREG=1)), [])

    def test_cascades_are_counted_to_their_end(self):
        self.assertEqual(rules.long_cascades(self.cascade(10)), [])
        self.assertEqual(rules.long_cascades(self.cascade(11)), ["11 multipliers from u_a.m0"])

    def test_the_clock_has_any_fanout(self):
        parts = {f"r{i}": register("0", 10 + i, ce=3) for i in range(257)}
        self.assertEqual(rules.large_fanouts(design(parts, {"enable_q": [3]})), ["enable_q: 257"])


class Budgets(unittest.TestCase):
    def path(self, ns):
        return paths.Path("a_q", paths.End(ns, 1, "b_q", "D"))

    def test_a_path_may_grow_by_three_percent(self):
        self.assertEqual(budget.too_slow({"lane": 10.0}, {"lane": self.path(10.29)}), [])
        self.assertEqual([unit for unit, *_ in budget.too_slow({"lane": 10.0}, {"lane": self.path(10.31)})], ["lane"])
        self.assertEqual([unit for unit, *_ in budget.too_slow({}, {"lane": self.path(0.1)})], ["lane"])

    def test_what_breaks_a_rule_becomes_only_less(self):
        self.assertEqual(budget.too_often({"rule": 2}, {"rule": ["a", "b"], "other": []}), [])
        self.assertEqual(budget.too_often({"rule": 1}, {"rule": ["a", "b"]}), [("rule", ["a", "b"], 1)])
        renewed = budget.renewed({"broken_rules": {"rule": 1}}, {"lane": self.path(9.876)}, {"rule": ["a", "b"], "other": ["c"]}, "Yosys 1")
        self.assertEqual(renewed, {"tool": "Yosys 1", "ns": {"lane": 9.88}, "broken_rules": {"rule": 1, "other": 1}})


class Targets(unittest.TestCase):
    def test_a_variant_is_the_machine_in_its_wrapper(self):
        tiny = target.Target("tiny")
        self.assertEqual((tiny.module, tiny.parameters["Axi3"], tiny.parameters["BlockIn"]), ("vdla_axi", 1, 4))

    def test_a_name_that_is_none_is_refused_with_those_that_are(self):
        with self.assertRaisesRegex(target.Refused, "no target 'lanes', needs a variant of isa/variants, a variant's file or one of array, "):
            target.Target("lanes")


if __name__ == "__main__":
    unittest.main()
