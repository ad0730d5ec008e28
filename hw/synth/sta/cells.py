# SPDX-License-Identifier: Apache-2.0
"""Delays inside cells, speed grade -1: from the specify blocks of Yosys' cells_sim.v, and from timing/cells.json what
these lack or give for another grade (multipliers, flip-flops, block RAM by its mode)."""
import functools
import json
import pathlib
import re
import shutil

TABLE = pathlib.Path(__file__).resolve().parents[1] / "timing/cells.json"

# Kinds whose specify blocks are of a faster grade and computed by functions.
FROM_TABLE = ("DSP48E1",)
# Inverters are absorbed by the cell behind them, buffers are the clock's or stand at pins.
WITHOUT_DELAY = ("INV", "BUFG", "IBUF", "OBUF", "IBUFG")
CLOCKS = ("C", "CLK", "WCLK", "CLKARDCLK", "CLKBWRCLK")


class Timing:
    """Times of a kind of cell, in ns, by pin; index None is each bit of the port."""

    def __init__(self):
        self.launch = {}  # output: clock to output
        self.setup = {}   # input: before the clock
        self.arcs = {}    # output: {input: delay}

    def add(self, times, key, ns):
        times[key] = max(ns, times.get(key, ns))

    def add_arc(self, source, sink, ns):
        self.add(self.arcs.setdefault(sink, {}), source, ns)

    def over(self, base):
        """These times, and those of `base` for the pins that have none here."""
        both = Timing()
        both.launch, both.setup = {**base.launch, **self.launch}, {**base.setup, **self.setup}
        both.arcs = {sink: {**base.arcs.get(sink, {}), **self.arcs.get(sink, {})} for sink in [*base.arcs, *self.arcs]}
        return both


def of_pin(times, pin):
    """The entry for a pin, of its bit or of its port."""
    return times.get(pin, times.get((pin[0], None)))


def pin_of(text):
    name, index = re.fullmatch(r"\s*(\w+)(?:\[(\d+)\])?\s*", text).groups()
    return name, int(index) if index else None


def cells_sim():
    """Yosys' own description of the cells, beside the program."""
    yosys = shutil.which("yosys")
    if not yosys:
        raise FileNotFoundError("no yosys; install the package 'yosys'")
    return pathlib.Path(yosys).resolve().parents[1] / "share/yosys/xilinx/cells_sim.v"


def specify_times(text):
    """The times of one module's specify block."""
    timing = Timing()
    for line in re.sub(r"//.*", "", text).split(";"):
        if found := re.search(r"\$setup\(([^,]+),[^,]+,[^\d]*(\d+)\s*\)", re.sub(r"/\*.*?\*/", "", line)):
            timing.add(timing.setup, pin_of(found[1]), int(found[2]) / 1000)
        elif found := re.search(r"\(posedge \w+ => \(([^:]+):.*\)\) = (\d+)", line):
            timing.add(timing.launch, pin_of(found[1]), int(found[2]) / 1000)
        elif found := re.search(r"\(([^()]+?) [=*]> ([^()]+?)\) = (\d+)", line):
            timing.add_arc(pin_of(found[1]), pin_of(found[2]), int(found[3]) / 1000)
    return timing


def specified(text):
    """Times by kind of cell, of all modules of cells_sim.v."""
    modules = re.findall(r"^module (\w+)\b(.*?)^endmodule", text, re.S | re.M)
    return {name: specify_times("".join(re.findall(r"\bspecify\b(.*?)\bendspecify\b", body, re.S)))
            for name, body in modules if name not in FROM_TABLE}


class Library:
    def __init__(self, text, rows):
        self.specified, self.rows = specified(text), rows
        self.of = functools.cache(self.of)

    @staticmethod
    def standard():
        return Library(cells_sim().read_text(), json.loads(TABLE.read_text()))

    def timing(self, cell):
        relevant = {key for row in self.rows if row["cell"] == cell.kind for key in row["when"]}
        return self.of(cell.kind, tuple(sorted((key, value) for key, value in cell.parameters.items() if key in relevant)))

    def of(self, kind, parameters):
        """Times of a kind with these parameters; those of the table count before the ones that Yosys has."""
        timing, given = Timing(), dict(parameters)
        rows = [row for row in self.rows if row["cell"] == kind and row["when"].items() <= given.items()]
        for row in rows:
            for pin, ns in row.get("launch", {}).items():
                timing.add(timing.launch, pin_of(pin), ns)
            for pin, ns in row.get("setup", {}).items():
                timing.add(timing.setup, pin_of(pin), ns)
            for source, sinks in row.get("arcs", {}).items():
                for sink, ns in sinks.items():
                    timing.add_arc(pin_of(source), pin_of(sink), ns)
        return timing.over(self.specified.get(kind, Timing()))


def is_lut(cell):
    return re.fullmatch("LUT[1-6]", cell.kind) is not None
