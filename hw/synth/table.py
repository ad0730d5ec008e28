#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesises variants with yosys and keeps and shows what they take.

  table.py synth VARIANT.json... [--out DIR] [--family xc7]   one result file per variant: cells and resources
                                                              (in one run, which synthesises what they share once),
                                                              and where its memories went. --bus axi4|axi3: of vdla_axi
  table.py table [--results DIR] [--parts boards/parts.json]  the table in Markdown, beside the parts' budgets

VARIANT.json is a file as under isa/variants: name and geometry. Runs take minutes of processor time each.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

# LUTs that a cell takes when it is memory or a shift register (UG474, SLICEM).
LUTS_OF_RAM = {"RAM32X1S": 1, "RAM32X1D": 2, "RAM64X1S": 1, "RAM64X1D": 2, "RAM128X1S": 2, "RAM128X1D": 4, "RAM256X1S": 4, "RAM32M": 4,
               "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "SRL16E": 1, "SRLC16E": 1, "SRLC32E": 1}
RESOURCES = {"lut": "LUT", "ff": "FF", "dsp": "DSP", "bram36": "BRAM36"}


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def resources(cells):
    """Cells' share of a part, from yosys' count by type."""
    count = lambda *prefixes: sum(n for cell, n in cells.items() if cell.startswith(prefixes))
    logic = sum(n for cell, n in cells.items() if cell in {f"LUT{i}" for i in range(1, 7)})
    memory = sum(LUTS_OF_RAM.get(cell, 0) * n for cell, n in cells.items())
    return {"lut": logic + memory, "lut_logic": logic, "lut_memory": memory, "carry4": count("CARRY4"), "ff": count("FDRE", "FDSE", "FDCE", "FDPE"),
            "dsp": count("DSP48"), "ramb36": count("RAMB36"), "ramb18": count("RAMB18")}


def unknown_cells(cells):
    known = ("LUT", "CARRY", "DSP48", "RAMB", "MUXF", "INV", "IBUF", "OBUF")
    # One clock and synchronous resets: neither gates of clocks (BUFGCE, BUFHCE) nor latches (LDCE) nor asynchronous
    # resets (FDCE, FDPE).
    return sorted(c for c in cells if not c.startswith(known) and c not in LUTS_OF_RAM and c not in ("FDRE", "FDSE", "BUFG"))


def statistics_of(text):
    """Cells by type in each module, from what yosys' `stat` prints (`stat -json` of Yosys 0.23 is not JSON where
    modules hold others)."""
    modules, cells = {}, None
    for line in text.splitlines():
        if heading := re.fullmatch(r"=== (.+) ===", line):
            if heading[1] == "design hierarchy":
                break
            cells = modules[heading[1]] = {}
        elif cells is not None and (row := re.fullmatch(r"\s+(\S+)\s+(\d+)", line)):
            cells[row[1]] = int(row[2])
    return modules


def totals(modules, name):
    """Cells by type below a module, each submodule counted as often as it is used."""
    cells = {}
    for cell, n in modules[name].items():
        inner = totals(modules, cell) if cell in modules else {cell: 1}
        for leaf, m in inner.items():
            cells[leaf] = cells.get(leaf, 0) + n * m
    return cells


# A memory as deep as a block RAM that is as wide as it can be, and as large as the smallest one, belongs into block
# RAM.
BLOCK_DEPTH, BLOCK_BITS = 512, 16384


def memories_of(log):
    """Memories by the module that holds them, from what `synth_xilinx` logs: width, depth, and what they became."""
    parameters, given, places = {}, {}, {}
    for line in log.splitlines():
        if "in derive mode" in line:
            given = {}
        elif row := re.fullmatch(r"Parameter \\(Width|Depth) = (\d+)", line):
            given[row[1].lower()] = int(row[2])
        elif row := re.fullmatch(r"Generating RTLIL representation for module `(.+)'\.", line):
            parameters[row[1]] = given
            given = {}
        elif row := re.fullmatch(r"mapping memory (.+)\.\w+ via \$__XILINX_(\w+?)_.*", line):
            places[row[1]] = {"BLOCKRAM": "block RAM", "LUTRAM": "LUTs"}.get(row[2], row[2])
        elif row := re.fullmatch(r"using FF mapping for memory (.+)\.\w+", line):
            places[row[1]] = "flip-flops"
    return {module: {"module": module.split("\\")[-1], **parameters.get(module, {}), "place": place} for module, place in places.items()}


def reachable(modules, name):
    """A module and all below it."""
    return {name}.union(*(reachable(modules, cell) for cell in modules[name] if cell in modules))


def misplaced(memories):
    """Large memories that are not in block RAM."""
    return [m for m in memories if m["place"] != "block RAM" and m.get("depth", 0) >= BLOCK_DEPTH and m["width"] * m["depth"] >= BLOCK_BITS]


def module_of(index):
    return f"machine_{index}"


def around(geometries, bus=None):
    """A module that holds one machine of each geometry, its ports open: modules are synthesised one by one, so nothing
    of them is lost (but what drives nothing must be kept), and what machines have in common only once."""
    text = []
    for i, geometry in enumerate(geometries):
        parameters = ", ".join(f".{camel(k)}({v})" for k, v in geometry.items())
        machine = f"vdla_top #({parameters}) u_top (.clk_i(clk_i), .rst_i(rst_i))"
        if bus:
            machine = f"vdla_axi #(.Axi3({int(bus == 'axi3')}), {parameters}) u_axi (.aclk(clk_i), .aresetn(!rst_i))"
        text.append(f"module {module_of(i)} (input clk_i, input rst_i);\n  (* keep *) {machine};\nendmodule\n")
    instances = "".join(f"  (* keep *) {module_of(i)} u_{i} (.clk_i(clk_i), .rst_i(rst_i));\n" for i in range(len(geometries)))
    return "".join(text) + f"module around (input clk_i, input rst_i);\n{instances}endmodule\n"


def synthesise(paths, out, family, log, bus):
    variants = [json.loads(path.read_text()) for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        statistics, source = pathlib.Path(folder) / "stat.txt", pathlib.Path(folder) / "around.sv"
        source.write_text(around([v["geometry"] for v in variants], bus))
        log = log or pathlib.Path(folder) / "log.txt"
        begin = time.monotonic()
        subprocess.run(["bash", ROOT / "hw/synth/synth.sh", "--source", ROOT, "--family", family, "--stat", statistics, "--around", source,
                        "--log", log], check=True, stdout=subprocess.DEVNULL)
        print(f"{len(variants)} variants in {time.monotonic() - begin:.0f} s", flush=True)
        modules, memories = statistics_of(statistics.read_text()), memories_of(log.read_text())
    version = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split(" (")[0]
    out.mkdir(parents=True, exist_ok=True)
    for i, variant in enumerate(variants):
        cells = totals(modules, module_of(i))
        if unknown_cells(cells):
            sys.exit(f"{paths[i]}: cells that table.py does not know: {' '.join(unknown_cells(cells))}")
        own = sorted((memories[m] for m in memories.keys() & reachable(modules, module_of(i))),
                     key=lambda m: (-m.get("width", 0) * m.get("depth", 0), m["module"], m.get("width", 0), m["place"]))
        result = {"name": variant["name"], "family": family, "tool": version, "geometry": variant["geometry"], **resources(cells),
                  "cells": dict(sorted(cells.items())), "memories": own}
        suffix = ("" if family == "xc7" else f"-{family}") + (f"-{bus}" if bus else "")
        (out / f"{variant['name']}{suffix}.json").write_text(json.dumps(result, indent=2) + "\n")
        print(f"{variant['name']} ({family}): {result['lut']} LUT, {result['ff']} FF, {result['dsp']} DSP, {result['ramb36']} RAMB36, "
              f"{result['ramb18']} RAMB18", flush=True)
        for m in misplaced(own):
            print(f"{variant['name']}: a memory of {m['depth']} words of {m['width']} bits ({m['module']}) became {m['place']}, needs block RAM", flush=True)


def bram36(result):
    return result["ramb36"] + math.ceil(result["ramb18"] / 2)


def fits(result, part):
    need = {**result, "bram36": bram36(result)}
    over = [f"{RESOURCES[r]} {100 * need[r] / part[r]:.0f} %" for r in RESOURCES if need[r] > part[r]]
    return "no: " + ", ".join(over) if over else f"{100 * max(need[r] / part[r] for r in RESOURCES):.0f} %"


def table(folder, parts):
    """Rows by array size; a part's column is the share of its fullest resource, or what is too much for it."""
    results = [{"family": "xc7", "lut_memory": "", **json.loads(p.read_text())} for p in sorted(folder.glob("*.json"))]
    results.sort(key=lambda r: (r["family"], r["geometry"]["batch"] * r["geometry"]["block_in"] * r["geometry"]["block_out"], r["lut"]))
    lines = []
    for family in sorted({r["family"] for r in results}):
        own = [p for p in parts if p["family"] == family] if family != "xc7" else parts
        lines += ["" if lines else None, f"| variant ({family}) | array | LUT | of these memory | FF | BRAM36 | BRAM18 | DSP | " + " | ".join(p["name"] for p in own) + " |",
                  "| --- " * 2 + "| --: " * 6 + "| --: " * len(own) + "|"]
        for r in results:
            if r["family"] != family:
                continue
            g = r["geometry"]
            lines.append(f"| `{r['name']}` | {g['batch']}x{g['block_in']}x{g['block_out']} | {r['lut']} | {r['lut_memory']} | {r['ff']} | {r['ramb36']} | "
                         f"{r['ramb18']} | {r['dsp']} | " + " | ".join(fits(r, p) for p in own) + " |")
    budgets = ["", "| part | LUT | FF | BRAM36 | URAM | DSP | from |", "| --- " + "| --: " * 5 + "| --- |"]
    budgets += [f"| {p['name']} | {p['lut']} | {p['ff']} | {p['bram36']} | {p['uram']} | {p['dsp']} | {p['source']} |" for p in parts]
    return "\n".join(line for line in lines + budgets if line is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("synth")
    run.add_argument("variants", nargs="+", type=pathlib.Path)
    run.add_argument("--out", type=pathlib.Path, default=ROOT / "hw/synth/results")
    run.add_argument("--family", default="xc7", choices=("xc7", "xcup"))
    run.add_argument("--bus", choices=("axi4", "axi3"), help="the machine in vdla_axi, with this bus; default: vdla_top alone")
    run.add_argument("--log", type=pathlib.Path)
    show = commands.add_parser("table")
    show.add_argument("--results", type=pathlib.Path, default=ROOT / "hw/synth/results")
    show.add_argument("--parts", type=pathlib.Path, default=ROOT / "boards/parts.json")
    arguments = parser.parse_args()
    if arguments.command == "synth":
        synthesise(arguments.variants, arguments.out, arguments.family, arguments.log, arguments.bus)
    else:
        print(table(arguments.results, json.loads(arguments.parts.read_text())))


if __name__ == "__main__":
    main()
