#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places and routes netlists with the tools that hw/synth/pnr.sh, which calls this, has unpacked; writes results."""
import argparse
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sta import nets, results, shell, target  # noqa: E402
from sta.cells import Library  # noqa: E402
from sta.database import disagreements  # noqa: E402
from sta.netlist import load, readable, without_indices  # noqa: E402
from sta.paths import Analysis  # noqa: E402
from sta.routed import Routed  # noqa: E402

PART = "xc7z020clg400-1"
PINS = {"clk_i": "K17", "rst_i": "H16", "sin_i": "T14", "sout_o": "U12"}
# Asked for, so that the placer works for speed; above what a whole machine reaches.
MHZ = 130
# Cells of nextpnr's log that are counted; a SLICE_LUTX is a LUT of five inputs, or half of one of six.
USED = ("SLICE_LUTX", "SLICE_FFX", "CARRY4", "DSP48E1_DSP48E1", "RAMB18E1_RAMB18E1", "RAMB36E1_RAMB36E1")
PACKAGES = ("nextpnr-himbaechel-xilinx", "nextpnr-himbaechel-xilinx-chipdb", "prjxray-database")
TIMINGS = "usr/share/prjxray/database/zynq7/timings"
# A machine whose multipliers stand close together routes only when cells are spread out.
OPTIONS = {"vdla_axi": ["--placer-heap-beta", "0.6"]}


def tool(tools):
    """The command that runs nextpnr with the loader and the libraries that were unpacked beside it."""
    root = tools / "root"
    loader = next((root / "usr/lib").glob("*/ld-linux*.so.*"))
    chips = root / "usr/share/nextpnr/himbaechel/xilinx/chipdb-xc7z020.bin"
    return [loader, "--library-path", loader.parent, root / "usr/bin/nextpnr-himbaechel-xilinx", "--chipdb", chips]


def versions(tools):
    given = dict(line.split() for line in (tools / "versions").read_text().splitlines())
    return {"yosys": target.yosys().removeprefix("Yosys "), **{name: given[name] for name in PACKAGES if name in given}}


def constraints():
    return "".join(f"set_property LOC {pin} [get_ports {port}]\nset_property IOSTANDARD LVCMOS33 [get_ports {port}]\n" for port, pin in PINS.items())


def synthesise(what, work):
    """Writes the netlist of the shell; returns the files that it is made of."""
    ports, files = shell.described(target.ROOT, what, work)
    (work / "shell.sv").write_text(shell.source(what, ports))
    what.synthesise(work / "netlist.json", around=work / "shell.sv", top=shell.NAME)
    return files


def place_and_route(what, work, options):
    """None where all nets are routed, else why not."""
    (work / "pins.xdc").write_text(constraints())
    (work / "sdf").unlink(missing_ok=True)
    words = ["--device", PART, "-o", f"xdc={work / 'pins.xdc'}", "--json", work / "netlist.json", "--sdf", work / "sdf",
             "--freq", str(MHZ), "--timing-allow-fail", "--seed", str(options.seed), *OPTIONS.get(what.module, [])]
    with (work / "log").open("w") as log:
        try:
            done = subprocess.run([*tool(options.tools), *words], stdout=log, stderr=subprocess.STDOUT, timeout=60 * options.minutes)
        except subprocess.TimeoutExpired:
            return f"not routed after {options.minutes} minutes{overused(work)}"
    if done.returncode == 0:
        return None
    errors = re.findall(r"^ERROR: (.*)", (work / "log").read_text(), re.M) or [f"nextpnr ended with status {done.returncode}"]
    return readable(errors[-1]).split(", check constraints")[0]


def overused(work):
    rounds = re.findall(r"iter=(\d+) wires=\d+ overused=(\d+)", (work / "log").read_text())
    return f", {rounds[-1][1]} wires overused after round {rounds[-1][0]}" if rounds else ""


def path_of(analysis, end):
    path = analysis.path(end)
    logic = sum(step.logic for step in path.steps) + end.setup
    return {"from": path.start, "to": f"{end.name}.{end.pin}", "ns": round(end.ns, 2), "logic_ns": round(logic, 2), "cells": len(path.steps)}


def analysed(what, work):
    """Longest paths, routed and as the analysis estimates them, by unit and by register where they end."""
    netlist, library = load(work / "netlist.json", what.name), Library.standard()
    with (work / "sdf").open() as lines:
        wires = Routed(lines, netlist)
    both = [Analysis(netlist, library, delays) for delays in (wires, nets.estimate)]
    for analysis in both:
        analysis.ends = [end for end in analysis.ends if not end.name.startswith(shell.OWN) and end.pin != "port"]
    units = compared(both, lambda end: netlist.unit(end.name, what.units))
    registers = compared(both, lambda end: f"{without_indices(end.name)}.{end.pin}")
    most = {key for times in ("routed", "analysis") for key in sorted(registers, key=lambda key: -registers[key][times]["ns"])[:results.PATHS]}
    return {"nets": dict(sorted(wires.counts.items())), "units": units, "paths": {key: registers[key] for key in registers if key in most}}


def compared(both, key):
    routed, estimated = (analysis.worst_by(key) for analysis in both)
    return {group: {"routed": path_of(both[0], end), "analysis": path_of(both[1], estimated[group])} for group, end in routed.items()}


def kept(what, work, options):
    """The result of an earlier run, whose routed nets are there."""
    result = results.read(options.out, what.name)
    if not result or not (work / "sdf").is_file():
        raise target.Refused(f"{what.name} is not routed in {work}; leave --again out")
    return result, result.pop("not_routed", None)


def made(what, work, options):
    """A new result, and why its nets are not routed where they are not."""
    files = synthesise(what, work)
    why = place_and_route(what, work, options)
    return {"name": what.name, "module": what.module, "parameters": what.parameters, "part": PART, "tools": versions(options.tools),
            "seed": options.seed, "sources": results.hashes(files), "use": used(work)}, why


def measure(name, options):
    """Whether it is routed, or was not in the tree's own result either."""
    what = target.Target(name)
    work, known, begin = (options.work / what.name).resolve(), results.read(results.FOLDER, what.name), time.monotonic()
    work.mkdir(parents=True, exist_ok=True)
    result, why = (kept if options.again else made)(what, work, options)
    result.update({"analysis": results.hash_of_analysis(), **({"not_routed": why} if why else analysed(what, work))})
    results.write(options.out, result)
    print(f"{results.line(result)} ({time.monotonic() - begin:.0f} s)", flush=True)
    return not why or "not_routed" in known


def used(work):
    """Cells that nextpnr packed, also where it did not route them."""
    text = (work / "log").read_text()
    return {name: int(found[1]) for name in USED if (found := re.search(rf"{name}: +(\d+)/", text))}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--tools", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=results.FOLDER)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60)
    options = parser.parse_args()
    if options.list:
        print("\n".join(results.table(options.out) + results.stale_lines(options.out)))
        return 0
    if wrong := disagreements(Library.standard().rows, options.tools / "root" / TIMINGS):
        print("pnr.sh: hw/synth/timing/cells.json does not have the figures of its sources:", *wrong, sep="\n  ", file=sys.stderr)
        return 1
    units = [name for name in target.known()["modules"] if name != "gemm"]
    names = [name for given in options.names for name in (units if given == "units" else [given])]
    try:
        return 0 if all([measure(name, options) for name in names]) else 1
    except (target.Refused, FileNotFoundError) as error:
        print(f"pnr.sh: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
