# SPDX-License-Identifier: Apache-2.0
"""Rules of structure that a fast machine keeps; each gives what breaks it, by name."""
from sta.cells import CLOCKS

LONGEST_CASCADE = 10  # multipliers; longer ones leave a clock region, and the open placer places none
LARGEST_FANOUT = 256


def multipliers(netlist):
    return [cell for cell in netlist.cells.values() if cell.kind == "DSP48E1"]


def behind(netlist, cell, ports):
    """Multipliers that take an output among `ports` as it is."""
    return {sink.name: sink for pin, bit in cell.outputs.items() if pin[0] in ports for sink, _ in netlist.sinks.get(bit, ()) if sink.kind == "DSP48E1"}


def unregistered_multipliers(netlist):
    """Multipliers without a register of product and sum whose result another multiplier takes."""
    return sorted(netlist.place(cell) for cell in multipliers(netlist)
                  if not cell.parameters.get("MREG") and not cell.parameters.get("PREG") and behind(netlist, cell, ("P", "PCOUT")))


def long_cascades(netlist):
    """Cascades of more multipliers than LONGEST_CASCADE, by the first."""
    following = {cell.name: next(iter(behind(netlist, cell, ("PCOUT",))), None) for cell in multipliers(netlist)}
    found = []
    for name in following.keys() - set(following.values()):
        length, at = 0, name
        while at is not None:
            length, at = length + 1, following[at]
        if length > LONGEST_CASCADE:
            found.append(f"{length} multipliers from {netlist.place(netlist.cells[name])}")
    return sorted(found)


def large_fanouts(netlist):
    """Nets, but clocks, with more sinks than LARGEST_FANOUT."""
    return sorted(f"{netlist.name(bit)}: {len(sinks)}" for bit, sinks in netlist.sinks.items()
                  if len(sinks) > LARGEST_FANOUT and not any(pin[0] in CLOCKS for _, pin in sinks))


RULES = {"multipliers_without_registers": unregistered_multipliers, f"cascades_over_{LONGEST_CASCADE}": long_cascades,
         f"fanouts_over_{LARGEST_FANOUT}": large_fanouts}


def broken(netlist):
    return {name: rule(netlist) for name, rule in RULES.items()}
