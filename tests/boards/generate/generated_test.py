#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `vdla board generate` made of each board.json, and the scripts that boards share, do what they are for, as far
as that shows without the board: scripts for Vivado run under a Tcl shell that records them (recording.tcl), overlays
are compiled and applied, programs are linked.

usage: generated_test.py ROOT scripts|kernels|overlay|firmware     exit status 77: a program that it needs is missing
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])
HERE = pathlib.Path(__file__).resolve().parent
BOARDS = {file.parent.name: json.loads(file.read_text()) for file in sorted(ROOT.glob("boards/*/board.json"))}
REAL = {name: board for name, board in BOARDS.items() if "fpga" in board}
ARM = {name: board for name, board in BOARDS.items() if board["family"] in ("zynq7000", "zynqmp")}
ARM_REAL = {name: board for name, board in ARM.items() if "fpga" in board}
XRT = {name: board for name, board in BOARDS.items() if board["family"] == "xrt" and "fpga" in board}


def words_of(tcl):
    """Of a list: a word with spaces stands in braces."""
    return [braced or bare for braced, bare in re.findall(r"\{([^{}]*)\}|(\S+)", tcl)]


def number(text):
    return int(text, 0)


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


def module_of(name):
    """Ports and parameters of the RTL's top."""
    text = re.sub(r"//.*", "", (ROOT / f"hw/rtl/top/{name}.v").read_text())
    head = text[text.index(f"module {name}"):text.index(");\n\n")]
    return set(re.findall(r"^\s*(?:input|output)\s.*?(\w+),?\s*$", head, re.M)), set(re.findall(r"^\s*parameter\s.*?(\w+)\s*=", head, re.M))


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)


    def own(self, board):
        """A copy of the board's folder."""
        return shutil.copytree(ROOT / "boards" / board / "generated", self.folder / board, dirs_exist_ok=True)

    def whole(self, board):
        """The same with the scripts that boards share, as `vdla board generate -o` makes it."""
        return shutil.copytree(ROOT / "boards/fpga", self.own(board), dirs_exist_ok=True)


class Scripts(Folder):
    def record(self, board, script, *answers, of_the_kit=False, **environment):
        """Exit status, what was printed, and the calls of a script: of a board's whole folder, or of the kit for the
        board's own."""
        if of_the_kit:
            environment["VDLA_BOARD"] = str(self.own(board))
        place = ROOT / "boards/fpga" if of_the_kit else self.whole(board)
        found = ["BOARD_PARTS=" + BOARDS[board]["fpga"].get("board_part", "")]
        # From the copy, the way to the sources is another one.
        done = subprocess.run(["tclsh", HERE / "recording.tcl", place / script, self.folder / "record", *found, *answers], capture_output=True,
                              text=True, env={"VDLA_ROOT": str(ROOT), "PATH": "/usr/bin:/bin", **environment})
        calls = [json.loads(line) for line in (self.folder / "record").read_text().splitlines()]
        return done.returncode, done.stdout + done.stderr, calls

    def build(self, board, *answers):
        return self.record(board, "build.tcl" if board in ARM else "kernel.tcl", *answers)

    def test_are_whole_words_of_their_languages(self):
        for script in sorted((ROOT / "boards/fpga").iterdir()):
            with self.subTest(script.name):
                complete = f"exit [expr {{![info complete [read [open {script}]]]}}]"
                done = run("sh", "-n", script) if script.suffix == ".sh" else \
                    subprocess.run(["tclsh"], input=complete, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_of_the_kit_do_for_a_boards_folder_what_copies_in_it_do(self):
        for board in REAL:
            with self.subTest(board):
                script = "build.tcl" if board in ARM else "kernel.tcl"
                self.assertEqual(self.record(board, script, of_the_kit=True), self.record(board, script))

    def test_a_folder_that_is_none_of_a_board_is_refused(self):
        done = run("tclsh", HERE / "recording.tcl", ROOT / "boards/fpga/build.tcl", self.folder / "record")
        self.assertIn("variables.tcl is missing: set VDLA_BOARD to a folder", done.stderr)
        done = run(ROOT / "boards/fpga/release.sh", "-o", self.folder / "release")
        self.assertIn("release.sh: error: ", done.stderr)
        self.assertIn("variables.sh is missing: set VDLA_BOARD to a folder", done.stderr)

    def order(self, calls, *commands):
        """The commands are there, in that order."""
        names = [call[0] for call in calls]
        at = -1
        for command in commands:
            self.assertIn(command, names[at + 1:], f"no {command} behind call {at}")
            at = names.index(command, at + 1)

    def test_steps_come_in_order(self):
        for board in ARM_REAL:
            with self.subTest(board):
                status, said, calls = self.build(board)
                self.assertEqual(status, 0, said)
                self.order(calls, "create_project", "add_files", "ipx::package_project", "ipx::save_core", "create_project", "update_ip_catalog",
                           "create_bd_design", "create_bd_cell", "connect_bd_intf_net", "assign_bd_address", "validate_bd_design", "save_bd_design",
                           "make_wrapper", "launch_runs", "wait_on_run", "launch_runs", "open_run", "report_utilization", "report_timing_summary",
                           "get_timing_paths", "launch_runs", "write_bitstream", "write_hw_platform")
        for board in XRT:
            with self.subTest(board):
                status, said, calls = self.build(board)
                self.assertEqual(status, 0, said)
                self.order(calls, "create_project", "ipx::package_project", "ipx::save_core", "package_xo")
                self.assertIn("user_managed", next(call for call in calls if call[0] == "package_xo"))

    def test_sources_exist_and_are_all_of_the_hardware(self):
        for board in REAL:
            with self.subTest(board):
                files = [word for call in self.build(board)[2] if call[0] == "add_files" for word in words_of(call[-1]) if word.startswith("/")]
                hardware = [pathlib.Path(f) for f in files if "/hw/" in f or "/isa/" in f]
                self.assertGreater(len(hardware), 20)
                self.assertIn("vdla_axi.v", {f.name for f in hardware})
                for file in files:
                    self.assertTrue(pathlib.Path(file).exists(), file)

    def test_part_and_platform_are_the_boards(self):
        for board, facts in REAL.items():
            with self.subTest(board):
                projects = [call for call in self.build(board)[2] if call[0] == "create_project"]
                self.assertTrue(projects)
                for call in projects:
                    self.assertEqual(call[-1], facts["fpga"]["number"])
        for board, facts in XRT.items():
            text = (ROOT / "boards" / board / "generated/link.cfg").read_text()
            self.assertIn(f"platform={facts['xrt']['platform']}\n", text)
            self.assertIn(f"sp=vdla_axi_1.m_axi_gmem:{facts['memory']['port']}\n", text)

    def test_pins_ports_and_parameters_are_those_of_the_rtl(self):
        ports, parameters = module_of("vdla_axi")
        self.assertIn("aclk", ports)
        for board in REAL:
            with self.subTest(board):
                calls = self.build(board)[2]
                pins = {call[1].split("/")[1] for call in calls if call[0] == "get_bd_pins" and call[1].startswith("vdla/")}
                interfaces = {call[1].split("/")[1] for call in calls if call[0] == "get_bd_intf_pins" and call[1].startswith("vdla/")}
                if board in ARM:
                    self.assertEqual(pins, {"aclk", "aresetn", "interrupt"})
                    self.assertEqual(interfaces, {"s_axi_control", "m_axi_gmem"})
                self.assertLessEqual(pins, ports)
                for interface in interfaces:
                    self.assertTrue(any(port.startswith(interface + "_") for port in ports), interface)
                given = {call[1] for call in calls if call[0] == "ipx::get_hdl_parameters"}
                self.assertLessEqual(given, parameters)
                protocol = next(call[2] for call in calls if call[0] == "set_property" and call[-1] == "ipx::add_bus_parameter" and "AXI" in call[2])
                self.assertEqual(protocol, "AXI3" if REAL[board]["family"] == "zynq7000" else "AXI4")
                left_out = {call[1] for call in calls if call[0] == "ipx::remove_port_map"}
                self.assertEqual(left_out, {"AWREGION", "ARREGION"} if protocol == "AXI3" else {"WID"})
                self.assertLessEqual({"m_axi_gmem_" + signal.lower() for signal in left_out}, ports)
                self.assertEqual(parameters - given, {"IdWidth", "Cache", "Prot"}, "of the bus alone: the RTL's defaults")

    def test_a_design_states_its_build_clock_and_addresses(self):
        for board, facts in REAL.items():
            with self.subTest(board):
                calls = self.record(board, "package.tcl", VDLA_BUILD_ID="0x1234")[2]
                values = {calls[i][1]: number(calls[i + 1][2]) for i, call in enumerate(calls) if call[0] == "ipx::get_hdl_parameters"}
                self.assertEqual(values["BuildId"], 0x1234)
                self.assertEqual(values["ClockKhz"], 1000 * facts["clock_mhz"])
                self.assertEqual(values["AddressBits"], {"zynq7000": 32, "zynqmp": 49}.get(facts["family"], 64))

    def test_addresses_are_those_of_the_board(self):
        for board, facts in ARM_REAL.items():
            with self.subTest(board):
                assigned = [call for call in self.build(board)[2] if call[0] == "assign_bd_address"]
                want = [("ps/Data", facts["registers"]), ("vdla/m_axi_gmem", facts["ram"])]
                got = [(call[call.index("-target_address_space") + 1], number(call[call.index("-offset") + 1]), number(call[call.index("-range") + 1]))
                       for call in assigned]
                self.assertEqual(got, [(space, number(region["base"]), number(region["bytes"])) for space, region in want])

    def test_what_the_tool_changes_without_a_word_is_refused(self):
        for board, facts in ARM_REAL.items():
            zynq = facts["family"] == "zynq7000"
            width = "CONFIG.PCW_S_AXI_HP0_DATA_WIDTH" if zynq else "CONFIG.PSU__SAXIGP2__DATA_WIDTH"
            interrupt = "CONFIG.PCW_USE_FABRIC_INTERRUPT" if zynq else "CONFIG.PSU__USE__IRQ0"
            for answer, said_so in [(f"{width}=32", "computes wrong data"), (f"{interrupt}=0", "the interrupt never comes"),
                                    ("VALUE=EDGE_RISING", "needs LEVEL_HIGH"), ("BOARD_PARTS=other", "board files of"),
                                    ("STATUS=synth_design ERROR", "run synth_1 ended"), ("SLACK=-0.1", "timing fails: setup slack is -0.1 ns"),
                                    ("GATES=2", "2 clock gates")]:
                with self.subTest(board, answer=answer):
                    status, said, calls = self.build(board, answer)
                    self.assertNotEqual(status, 0)
                    self.assertIn(said_so, said)
                    self.assertNotIn("write_bitstream", [call[0] for call in calls])

    def test_buffers_in_luts_are_named(self):
        for board in ARM_REAL:
            with self.subTest(board):
                self.assertNotIn("warning", self.build(board)[1])
                self.assertIn("warning: fewer than half of the block RAMs expected", self.build(board, "RAMB36=2")[1])


class Kernels(Folder):
    """build.sh of cards, with programs in the place of Vivado and Vitis that write down how they were called."""

    def build(self, board, programs):
        copy = self.whole(board)
        tools = self.folder / "bin"
        tools.mkdir(exist_ok=True)
        for program in programs:
            (tools / program).write_text(f'#!/bin/sh\necho {program} "$@" >> "{self.folder}/calls"\n')
            (tools / program).chmod(0o755)
        return subprocess.run([copy / "build.sh", "hw_emu"], capture_output=True, text=True, env={"PATH": f"{tools}:/usr/bin:/bin"})

    def test_kernel_then_link(self):
        for board in XRT:
            with self.subTest(board):
                self.assertEqual(self.build(board, ["vivado", "v++"]).returncode, 0)
                vivado, link = (self.folder / "calls").read_text().splitlines()
                self.assertTrue(vivado.startswith("vivado -mode batch ") and vivado.endswith("/kernel.tcl"), vivado)
                self.assertIn("--link --target hw_emu --config link.cfg", link)
                self.assertTrue(link.endswith("build/vdla_axi.xo"), link)

    def test_a_missing_tool_is_named(self):
        for board in XRT:
            with self.subTest(board):
                done = self.build(board, ["vivado"])
                self.assertEqual(done.returncode, 1)
                self.assertIn("v++ is missing: source settings64.sh of Vitis", done.stderr)


class Overlay(Folder):
    BASE = """/dts-v1/;
/ {{
	#address-cells = <{cells}>;
	#size-cells = <{cells}>;
	amba: axi {{
		compatible = "simple-bus";
		#address-cells = <{cells}>;
		#size-cells = <{cells}>;
		ranges;
		{gic}: interrupt-controller {{ #interrupt-cells = <3>; interrupt-controller; }};
		clkc: clock-controller {{ fclk-enable = <0>; }};
	}};
}};
"""

    def test_is_applied_to_a_tree(self):
        for board, facts in ARM.items():
            with self.subTest(board):
                cells, gic = (1, "intc") if facts["family"] == "zynq7000" else (2, "gic")
                (self.folder / "base.dts").write_text(self.BASE.format(cells=cells, gic=gic))
                overlay = ROOT / "boards" / board / "generated/overlay.dtso"
                for words in (("dtc", "-@", "-q", "-q", "-O", "dtb", "-o", self.folder / "base.dtb", self.folder / "base.dts"),
                              ("dtc", "-@", "-i", ROOT / "boards/linux", "-I", "dts", "-O", "dtb", "-o", self.folder / "overlay.dtbo", overlay),
                              ("fdtoverlay", "-i", self.folder / "base.dtb", "-o", self.folder / "all.dtb", self.folder / "overlay.dtbo")):
                    done = run(*words)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                region = {what: [number(facts[what]["base"]), number(facts[what]["bytes"])] for what in ("registers", "memory")}
                reserved = f"/reserved-memory/vdla@{region['memory'][0]:x}"
                node = f"/vdla@{region['registers'][0]:x}"

                def cells_of(path, name):
                    done = run("fdtget", "-t", "u", self.folder / "all.dtb", path, name)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    return [int(word) for word in done.stdout.split()]

                def numbers_of(path, name):
                    words = cells_of(path, name)
                    return [sum(word << (32 * (cells - 1 - i)) for i, word in enumerate(words[at:at + cells])) for at in range(0, len(words), cells)]

                self.assertEqual(numbers_of(reserved, "reg"), region["memory"])
                self.assertEqual(cells_of(reserved, "no-map"), [])
                self.assertEqual(numbers_of(node, "reg"), region["registers"] + region["memory"])
                self.assertEqual(run("fdtget", self.folder / "all.dtb", node, "reg-names").stdout.split(), ["registers", "memory"])
                self.assertEqual(run("fdtget", self.folder / "all.dtb", node, "compatible").stdout.strip(), "generic-uio")
                first = 29 if facts["family"] == "zynq7000" else 89
                self.assertEqual(cells_of(node, "interrupts"), [0, first + facts["interrupt"]["bit"], 4])


class Firmware(Folder):
    PROGRAM = """#include "board.h"
extern char __bss_start, __bss_end, __stack_top, __vdla_memory_start, __vdla_memory_end;
static volatile unsigned counter;
const void *places[5] = {&__bss_start, &__bss_end, &__stack_top, &__vdla_memory_start, &__vdla_memory_end};
__attribute__((section(".vectors"))) void _start(void) {
  volatile unsigned *registers = (volatile unsigned *)VDLA_BOARD_REGISTERS_BASE;
  counter += registers[0] + (unsigned)(unsigned long)places[counter & 3];
  for (;;) {}
}
"""

    def link(self, board, facts, *flags):
        (self.folder / "program.c").write_text(self.PROGRAM)
        generated = ROOT / "boards" / board / "generated"
        return run("clang-19", f"--target={facts['cpu']['bare_metal_triple']}", f"-mcpu={facts['cpu']['name']}", "-std=c99", "-pedantic-errors", "-Wall",
                   "-Wextra", "-Werror", "-ffreestanding", "-nostdlib", "-static", "-fuse-ld=lld-19", f"-I{generated}", f"-L{ROOT}/boards/firmware", f"-Wl,-T,{generated}/firmware.ld",
                   *flags, self.folder / "program.c", "-o", self.folder / "program.elf")

    def test_is_linked_into_its_region(self):
        for board, facts in ARM.items():
            with self.subTest(board):
                done = self.link(board, facts)
                self.assertEqual(done.returncode, 0, done.stderr)
                symbols = {name: int(value, 16) for value, _, name in
                           (line.split() for line in run("llvm-nm-19", self.folder / "program.elf").stdout.splitlines())}
                begin, size = number(facts["firmware"]["base"]), number(facts["firmware"]["bytes"])
                self.assertEqual(symbols["_start"] & ~1, begin)
                self.assertLess(symbols["__stack_top"], begin + size)
                memory = number(facts["memory"]["base"])
                self.assertEqual((symbols["__vdla_memory_start"], symbols["__vdla_memory_end"]), (memory, memory + number(facts["memory"]["bytes"])))

    def test_too_large_is_refused(self):
        for board, facts in {facts["family"]: (board, facts) for board, facts in ARM.items()}.values():
            with self.subTest(board):
                (self.folder / "large.s").write_text(f".bss\n.skip {facts['firmware']['bytes']}\n")
                done = self.link(board, facts, "-Wl,--no-gc-sections", self.folder / "large.s")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("will not fit in region 'firmware'", done.stderr)

    def test_header_is_c99_for_every_board_that_has_one(self):
        for board in BOARDS:
            header = ROOT / "boards" / board / "generated/board.h"
            if not header.exists():
                self.assertEqual(BOARDS[board]["family"], "xrt")
                continue
            with self.subTest(board):
                (self.folder / "header.c").write_text('#include "board.h"\nconst unsigned long long bytes = VDLA_BOARD_MEMORY_BYTES;\n')
                done = run("clang-19", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{header.parent}",
                           self.folder / "header.c")
                self.assertEqual(done.returncode, 0, done.stderr)


NEEDS = {"scripts": (Scripts, ["tclsh"]), "kernels": (Kernels, []), "overlay": (Overlay, ["dtc", "fdtoverlay", "fdtget"]), "firmware": (Firmware, ["clang-19", "ld.lld-19", "llvm-nm-19"])}

if __name__ == "__main__":
    case, programs = NEEDS[sys.argv[2]]
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        print(f"generated_test: Skipped\n{', '.join(missing)} missing (scripts/packages/test.txt)")
        sys.exit(77)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    sys.exit(0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1)
