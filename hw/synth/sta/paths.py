# SPDX-License-Identifier: Apache-2.0
"""Arrival times at all nets of a netlist, and the paths between registers."""
from dataclasses import dataclass, field

from sta.cells import CLOCKS, WITHOUT_DELAY, is_lut, of_pin
from sta.netlist import without_indices


class Unknown(Exception):
    """A netlist that cannot be analysed."""


@dataclass
class Step:
    """A net on a path: when it is valid, from which net that came, and the times of cell and net before it."""
    ns: float
    before: int | None = None
    cell: object = None
    logic: float = 0.0
    net: float = 0.0


@dataclass
class End:
    """A pin that takes a value at the clock."""
    ns: float
    bit: int
    name: str
    pin: str
    net: float = 0.0
    setup: float = 0.0


@dataclass
class Path:
    start: str
    end: End
    bits: list = field(default_factory=list)
    steps: list = field(default_factory=list)

    @property
    def ns(self):
        return self.end.ns


class Analysis:
    """`nets` gives delays of nets and pins of LUTs: estimate() of sta/nets.py, or Routed of sta/routed.py. `late` names
    ports of the top module that a block RAM drives; a register drives the others."""

    def __init__(self, netlist, library, nets, late=()):
        self.netlist, self.library, self.nets, self.late = netlist, library, nets, late
        self.steps, self.unknown = {}, set()
        self.arrive()
        self.ends = sorted(self.all_ends(), key=lambda end: (-end.ns, end.name, end.pin))

    # --- arrival times ---
    def arrive(self):
        register = of_pin(self.library.of("FDRE", ()).launch, ("Q", 0))
        memory = of_pin(self.library.of("RAMB36E1", (("DOA_REG", 0), ("DOB_REG", 0))).launch, ("DOADO", 0))
        for bit, name in self.netlist.port_in.items():
            self.steps[bit] = Step(memory if without_indices(name) in self.late else register)
        for bit in self.order():
            self.steps[bit] = self.step(*self.netlist.driver[bit])

    def sources(self, cell, output):
        """Pins whose nets an output follows within the cycle, with their delays."""
        if cell.kind in WITHOUT_DELAY:
            return {pin: 0.0 for pin in cell.inputs}
        arcs = of_pin(self.library.timing(cell).arcs, output) or {}
        return {pin: ns for pin in cell.inputs if (ns := of_pin(arcs, pin)) is not None}

    def order(self):
        """Nets such that those before a cell come before those behind it."""
        waits, behind, ready = {}, {}, []
        for bit, (cell, output) in self.netlist.driver.items():
            before = {cell.inputs[pin] for pin in self.sources(cell, output)} & self.netlist.driver.keys()
            waits[bit] = len(before)
            for net in before:
                behind.setdefault(net, []).append(bit)
            if not before:
                ready.append(bit)
        while ready:
            bit = ready.pop()
            del waits[bit]
            yield bit
            for net in behind.get(bit, ()):
                waits[net] -= 1
                if waits[net] == 0:
                    ready.append(net)
        if waits:
            raise Unknown(f"{len(waits)} nets are in loops without a register, among them {self.netlist.name(min(waits))}")

    def net(self, bit, sink, pin):
        driver, output = self.netlist.driver.get(bit, (None, None))
        return self.nets(driver, output, sink, pin, self.netlist.fanout(bit))

    def step(self, cell, output):
        launch = of_pin(self.library.timing(cell).launch, output)
        best = Step(launch or 0.0, None, cell, launch or 0.0)
        inputs = []
        for pin, logic in self.sources(cell, output).items():
            bit = cell.inputs[pin]
            if bit in self.steps and pin[0] not in CLOCKS:
                net = self.net(bit, cell, pin)
                inputs.append((self.steps[bit].ns + net, bit, net, logic))
        for at, bit, net, logic in self.nets.lut(inputs) if is_lut(cell) else inputs:
            if at + logic > best.ns:
                best = Step(at + logic, bit, cell, logic, net)
        return best

    # --- ends of paths ---
    def all_ends(self):
        for cell in self.netlist.cells.values():
            timing = self.library.timing(cell)
            name = self.netlist.place(cell)
            for pin, bit in cell.inputs.items():
                setup = of_pin(timing.setup, pin)
                if setup is not None and bit in self.steps and pin[0] not in CLOCKS:
                    net = self.net(bit, cell, pin)
                    yield End(self.steps[bit].ns + net + setup, bit, name, pin[0], net, setup)
                elif setup is None and cell.kind not in WITHOUT_DELAY and pin[0] not in CLOCKS:
                    self.see(cell, pin, timing)
        for bit, name in self.netlist.port_out.items():
            if bit in self.steps:
                net = self.net(bit, None, None)
                yield End(self.steps[bit].ns + net, bit, name, "port", net)

    def see(self, cell, pin, timing):
        """Keeps pins in mind that no time is known for."""
        if not any(of_pin(arcs, pin) is not None for arcs in timing.arcs.values()):
            self.unknown.add(f"{cell.kind}.{pin[0]}")

    def path(self, end):
        bits, bit = [], end.bit
        while bit is not None:
            bits.insert(0, bit)
            bit = self.steps[bit].before
        return Path(self.start(bits[0]), end, bits, [self.steps[bit] for bit in bits])

    def start(self, bit):
        driver = self.netlist.driver.get(bit)
        if driver and not driver[0].kind.startswith("FD"):
            return self.netlist.place(driver[0])
        return self.netlist.name(bit)

    def worst_by(self, key):
        """The latest end of each group, latest first."""
        worst = {}
        for end in self.ends:
            worst.setdefault(key(end), end)
        return worst

