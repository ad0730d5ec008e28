# SPDX-License-Identifier: Apache-2.0
"""Targets of the analysis: a whole machine by its variant, or a module of timing/targets.json."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILE = ROOT / "hw/synth/timing/targets.json"


class Refused(Exception):
    """A request that cannot be met; the message says why."""


def known():
    return json.loads(FILE.read_text())


def yosys():
    """The version, as `Yosys 0.23`."""
    return subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split(" (")[0].strip()


def parameter(name):
    return "".join(part.capitalize() for part in name.split("_"))


class Target:
    """A module with its parameters; `late`: ports that a block RAM drives; `units`: instances that are told apart."""

    def __init__(self, name):
        targets = known()
        self.units = targets["units"]
        variant = pathlib.Path(name) if name.endswith(".json") else ROOT / f"isa/variants/{name}.json"
        if name in targets["modules"]:
            entry = targets["modules"][name]
            self.name, self.module, self.parameters, self.late = name, entry["module"], entry["parameters"], entry.get("late", [])
        elif variant.is_file():
            self.take(json.loads(variant.read_text()))
        else:
            raise Refused(f"no target '{name}', needs a variant of isa/variants, a variant's file or one of {', '.join(targets['modules'])}")

    def take(self, variant):
        """A whole machine, in its wrapper for Zynq-7000."""
        self.name, self.module, self.late = variant["name"], "vdla_axi", []
        self.parameters = {"Axi3": 1, **{parameter(key): value for key, value in variant["geometry"].items()}}

    def synthesise(self, netlist, root=ROOT, around=None, top=None):
        """Writes the flat netlist, of the module or of a shell `top` around it, whose source is `around`."""
        words = ["--around", around, "--top", top, "--pads"] if around else ["--top", self.module] + [f"{k}={v}" for k, v in self.parameters.items()]
        done = subprocess.run(["bash", ROOT / "hw/synth/netlist.sh", "--source", root, "--json", netlist, *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise Refused(f"synthesis of {self.name} failed: {(done.stdout + done.stderr).strip()}")
