# SPDX-License-Identifier: Apache-2.0
"""Reads a trace of yosys-smtbmc and shows its last cycles: ports, registers and f_ signals that are not always 0;
instruction words are decoded."""
import json
import re

LAST_CYCLES = 4


def read_vcd(path):
    """Signals of the trace: name -> list of values, one for each cycle, as strings of bits."""
    names, values, cycles = {}, {}, []
    scope = []
    for line in path.read_text().splitlines():
        if line.startswith("$scope"):
            scope.append(line.split()[2])
        elif line.startswith("$upscope"):
            scope.pop()
        elif line.startswith("$var"):
            words = line.split()
            names[words[3]] = ".".join(scope[1:] + [words[4]])
        elif line.startswith("#"):
            cycles.append(dict(values))
        elif line.startswith("b"):
            bits, code = line[1:].split()
            values[code] = bits
        elif line and line[0] in "01xz":
            values[line[1:]] = line[0]
    cycles.append(dict(values))
    # the writer samples at both clock edges: keep what stands before each rising edge
    return {name: [c.get(code, "x") for c in cycles[1:]] for code, name in names.items()}


def decode(bits, isa):
    """The fields of an instruction word that are not zero."""
    word = int(bits.replace("x", "0"), 2)
    opcodes = {row["code"]: row["name"] for row in isa["codes"]["opcode"]}
    name = opcodes.get(word & 15)
    if name is None:
        return f"opcode {word & 15}: no instruction"
    layout = isa["layouts"]["memory" if name in ("load", "store") else name]
    fields = []
    for field in layout["fields"][1:]:
        value = word >> field["lsb"] & (1 << field["width"]) - 1
        if field["signed"] and value >> field["width"] - 1:
            value -= 1 << field["width"]
        if value:
            fields.append(f"{field['name']}={value}")
    return " ".join([name] + fields)


def describe(path, isa_path):
    """The last cycles as a table: ports and registers, what changes in them."""
    if not path.exists():
        return "      (no trace)"
    isa = json.loads(isa_path.read_text())
    signals = read_vcd(path)
    lines = []
    for name, values in sorted(signals.items()):
        if not re.search(r"(_[ioq]|^f_\w+)(\[\d+:\d+\])?$", name) or name in ("clk_i", "smt_clock", "smt_step"):
            continue
        shown = [v for v in values[::2]][-LAST_CYCLES:]
        if not any("1" in v for v in shown):
            continue
        width = max(len(v) for v in shown)
        if width == 512 and "insn" in name:
            lines.append(f"      {name:<24} {decode(shown[-1], isa)}")
        else:
            text = [f"{int(v, 2):x}" if set(v) <= {"0", "1"} else "x" for v in shown]
            text = [t if len(t) <= 20 else ".." + t[-18:] for t in text]
            lines.append(f"      {name:<24} " + " ".join(f"{t:>10}" for t in text))
    return "\n".join(lines)
