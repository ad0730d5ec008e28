# SPDX-License-Identifier: Apache-2.0
"""A shell of four pins around a module, for place and route: a chain of registers feeds its inputs, and a tree of
exclusive ors, with a register behind each LUT, takes its outputs."""
import json
import subprocess

NAME = "pnr_shell"
OWN = "shell_"  # prefix of the shell's registers; those at outputs have the name of the port
FAN_IN = 6

# Names of clock and reset in the kit's modules, and what drives them in the shell.
CLOCKS_AND_RESETS = {"clk_i": "clk_i", "aclk": "clk_i", "rst_i": f"{OWN}reset", "aresetn": f"!{OWN}reset"}


def described(root, target, work):
    """Ports of the module with its parameters, and the files of modules below it, as Yosys reads them."""
    listed = work / "module.json"
    parameters = "".join(f" -chparam {key} {value}" for key, value in target.parameters.items())
    sources = " ".join((root / "hw/files.f").read_text().split())
    script = f"read_verilog -sv -Ihw/rtl/common {sources}; hierarchy -top {target.module}{parameters}; proc; delete t:*; write_json {listed.resolve()}"
    subprocess.run(["yosys", "-q", "-p", script], cwd=root, check=True, stdout=subprocess.DEVNULL)
    modules = json.loads(listed.read_text())["modules"]
    top = next(module for module in modules.values() if module["attributes"].get("top"))
    ports = {name: (port["direction"], len(port["bits"])) for name, port in top["ports"].items()}
    return ports, sorted({module["attributes"]["src"].split(":")[0] for module in modules.values()})


def register(width, name, value):
    """A register that Yosys leaves outside of the multipliers, which take others in."""
    return f"  (* keep *) logic [{width - 1}:0] {name};\n  always_ff @(posedge clk_i) {name} <= {value};\n"


def inputs(ports):
    """A chain from sin_i through all inputs."""
    text, before = "", "sin_i"
    for name, width in ports:
        own = OWN + name
        text += register(width, own, f"{{{own}[{width - 2}:0], {before}}}" if width > 1 else before)
        before = f"{own}[{width - 1}]"
    return text


def tree(ports):
    """The registers at all outputs, folded to one bit."""
    bits = [f"{name}[{i}]" for name, width in ports for i in range(width)]
    text, level = "", 0
    while len(bits) > 1:
        groups = [bits[i:i + FAN_IN] for i in range(0, len(bits), FAN_IN)]
        name = f"{OWN}fold{level}"
        text += register(len(groups), name, "{" + ", ".join("^{" + ", ".join(group) + "}" for group in reversed(groups)) + "}")
        bits, level = [f"{name}[{i}]" for i in range(len(groups))], level + 1
    return text + f"  assign sout_o = {bits[0]};\n"


def source(target, ports):
    """The shell as SystemVerilog."""
    side = {direction: [(name, width) for name, (of, width) in ports.items() if of == direction and name not in CLOCKS_AND_RESETS]
            for direction in ("input", "output")}
    outputs = "".join(f"  logic [{width - 1}:0] {OWN}{name};\n{register(width, name, OWN + name)}" for name, width in side["output"])
    wires = [(name, value) for name, value in CLOCKS_AND_RESETS.items() if name in ports] + [(name, OWN + name) for name, _ in side["input"] + side["output"]]
    parameters = ", ".join(f".{key}({value})" for key, value in target.parameters.items())
    connections = ",\n    ".join(f".{name}({value})" for name, value in wires)
    return (f"module {NAME} (input logic clk_i, input logic rst_i, input logic sin_i, output logic sout_o);\n"
            f"  logic {OWN}reset;\n  always_ff @(posedge clk_i) {OWN}reset <= rst_i;\n"
            f"{inputs(side['input'])}{outputs}"
            f"  {target.module} {f'#({parameters}) ' if parameters else ''}u_dut (\n    {connections});\n"
            f"{tree(side['output'])}endmodule\n")
