# SPDX-License-Identifier: Apache-2.0
"""Delays of nets that nextpnr has routed, from the SDF that it writes, put on the cells of Yosys' netlist by name."""
import collections
import re

from sta import nets
from sta.cells import is_lut

# The names that nextpnr gives to a carry chain that it has packed.
PACKED_CARRY = "$split$muxcy0$PACKED_CARRY4$"
LUT = 0.125  # ns: from any input of a LUT to its output; how far each pin is away is in the net's delay
INSIDE = 0.02  # ns: wires inside a slice, which the SDF does not always list


def pin_name(cell, pin):
    """A pin as the SDF writes it, where it is of a bus whose bits are told apart; else None."""
    port, index = pin
    if cell.kind == "CARRY4":
        return {"CI": "CIN", "CYINIT": "CYINIT"}.get(port, f"{port}{index}")
    if cell.kind.startswith(("DSP", "RAMB")):
        return f"{port}{index}" if (port, 1) in (cell.inputs.keys() | cell.outputs.keys()) or index else port
    return None


def instances_of(cell):
    return (cell.name + PACKED_CARRY, cell.name) if cell.kind == "CARRY4" else (cell.name,)


def whole(name):
    """The cell of the netlist of which nextpnr made LUTs: a memory in LUTs is several."""
    return re.sub(r"/[A-Z]+\d*(_\d)?$", "", name)


def wires_of(lines):
    """Wires of the SDF in ns: {(from cell, to cell): [(from pin, to pin, ns)]}."""
    found = collections.defaultdict(list)
    for line in lines:
        if "(INTERCONNECT" in line:
            words = line.split()
            (source, output), (sink, pin) = (re.sub(r"\\(.)", r"\1", word).rsplit("/", 1) for word in words[1:3])
            found[(whole(source), whole(sink))].append((output, pin, float(words[3].strip("()").split(":")[2]) / 1000))
    return found


class Routed:
    """Takes the place of nets.estimate(); `counts` says where each delay came from."""

    def __init__(self, lines, netlist):
        self.wires, self.counts = wires_of(lines), collections.Counter()
        self.feeds = collections.defaultdict(list)  # cells that nextpnr put before a pin: {cell: [(feeding cell, pin, ns)]}
        for (source, sink), wires in self.wires.items():
            if source not in netlist.cells:
                self.feeds[sink] += [(source, pin, ns) for _, pin, ns in wires]

    def __call__(self, driver, output, sink, pin, fanout):
        if driver is None or sink is None:
            return nets.estimate(driver, output, sink, pin, fanout)
        inverter = LUT if sink.kind == "INV" else 0.0  # nextpnr makes it a LUT
        for way in (self.direct, self.through, self.inside):
            ns = way(driver, output, sink, pin)
            if ns is not None:
                self.counts[way.__name__] += 1
                return ns + inverter
        self.counts["estimated"] += 1
        return nets.estimate(driver, output, sink, pin, fanout)

    def between(self, source, sink, output, pin):
        """The longest wire between two cells of the SDF that fits the pins; None fits all."""
        fitting = [ns for at, to, ns in self.wires.get((source, sink), ()) if output in (None, at) and pin in (None, to)]
        return max(fitting, default=None)

    def direct(self, driver, output, sink, pin):
        found = [self.between(source, to, pin_name(driver, output), pin_name(sink, pin)) for source in instances_of(driver) for to in instances_of(sink)]
        return max((ns for ns in found if ns is not None), default=None)

    def through(self, driver, output, sink, pin):
        """Two wires and the LUT between them, which nextpnr put before the pin of a carry chain."""
        for to in instances_of(sink):
            for feeding, at, last in self.feeds.get(to, ()):
                first = max((ns for source in instances_of(driver) if (ns := self.between(source, feeding, pin_name(driver, output), None)) is not None),
                            default=None)
                if first is not None and pin_name(sink, pin) in (None, at):
                    return first + LUT + last
        return None

    def inside(self, driver, output, sink, pin):
        """Wires inside of a slice."""
        joined = nets.beside(driver, output, sink, pin, 1) or (is_lut(driver) and sink.kind.startswith("FD") and pin[0] == "D")
        return INSIDE if joined else None

    @staticmethod
    def lut(inputs):
        return [(at, bit, net, LUT) for at, bit, net, _ in inputs]
