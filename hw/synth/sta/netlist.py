# SPDX-License-Identifier: Apache-2.0
"""A flat netlist of Yosys (`write_json`): cells, drivers and fanout of nets, names of registers, units of cells."""
import json
import re

from sta.shell import OWN


class Cell:
    """A cell: kind, parameters, and pins by direction; a pin is (port, index) with the number of its net."""

    def __init__(self, name, data):
        self.name, self.kind = name, data["type"]
        self.parameters = {key: number(value) for key, value in data["parameters"].items()}
        self.inputs, self.outputs = {}, {}
        for port, bits in data["connections"].items():
            side = self.outputs if data["port_directions"][port] == "output" else self.inputs
            side.update({(port, i): bit for i, bit in enumerate(bits) if isinstance(bit, int)})


def number(value):
    """The value of a parameter: Yosys writes numbers as text of bits."""
    return int(value, 2) if isinstance(value, str) and re.fullmatch("[01]+", value) else value


def without_indices(name):
    """A register's name without the bit and the copies of a generate block: what paths are grouped by."""
    return re.sub(r"\[\d+\]", "", name)


def instances(name):
    """The instances around a net or cell, outermost first: `u_core.gen_front[0].u_front.busy_q` is in core, front."""
    path = re.sub(r"\$flatten|\\", "", name).split("$")[0]
    return [part[2:] for part in path.split(".") if part.startswith("u_")]


class Netlist:
    def __init__(self, module, top):
        self.top = top
        self.cells = {name: Cell(name, data) for name, data in module["cells"].items()}
        self.driver = {bit: (cell, pin) for cell in self.cells.values() for pin, bit in cell.outputs.items()}
        self.sinks = {}
        for cell in self.cells.values():
            for pin, bit in cell.inputs.items():
                self.sinks.setdefault(bit, []).append((cell, pin))
        ports = {direction: {} for direction in ("input", "output", "inout")}
        for name, port in module["ports"].items():
            ports[port["direction"]].update({bit: bit_name(name, i, port["bits"]) for i, bit in enumerate(port["bits"]) if isinstance(bit, int)})
        self.port_in, self.port_out = ports["input"], ports["output"]
        self.names = names_of(module["netnames"])

    def fanout(self, bit):
        return len(self.sinks.get(bit, ()))

    def name(self, bit):
        return self.names.get(bit, f"net {bit}")

    def place(self, cell):
        """The name by which a person finds a cell that keeps a value: the register's, else the cell's own."""
        if cell.kind.startswith("FD"):
            return self.name(cell.outputs[("Q", 0)]) if ("Q", 0) in cell.outputs else cell.name
        return readable(cell.name)

    def unit(self, name, units):
        """The innermost instance around a name that is one of the units; else the top module."""
        return next((inner for inner in reversed(instances(name)) if inner in units), self.top)


def readable(name):
    """A cell's name without Yosys' marks and counts; an operator by file and line (`u_array.mul@vdla_gemm.sv:25`)."""
    name = re.sub(r"\$flatten|\\|\.genblk1(?=[.$]|\Z)", "", name)
    return re.sub(r"\$(\w+)\$(?:[^$]*/)?([^$/]+:\d+)\$\d+", r"\1@\2", name)


def bit_name(name, index, bits):
    return f"{name}[{index}]" if len(bits) > 1 else name


def names_of(netnames):
    """A name for each net: a register's own (`..._q`) before its aliases, one of the source before one of Yosys. A name
    of the shell counts last: a module's output register is also the wire that the shell has there."""
    best = {}
    for name, net in netnames.items():
        rank = (net.get("hide_name", 0), name.startswith(OWN), not name.endswith("_q"), name.count("."), len(name), name)
        for i, bit in enumerate(net["bits"]):
            if isinstance(bit, int) and (bit not in best or rank < best[bit][0]):
                best[bit] = (rank, bit_name(name, i, net["bits"]))
    return {bit: name for bit, (_, name) in best.items()}


def load(path, name):
    """The top module of a file; `name` is the unit of what is in none of its units."""
    modules = json.loads(path.read_text())["modules"]
    return Netlist(next(module for module in modules.values() if module["attributes"].get("top")), name)
