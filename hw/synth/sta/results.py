# SPDX-License-Identifier: Apache-2.0
"""Results of place and route (hw/synth/results/pnr): read, written, shown, and held to the sources that they are of."""
import hashlib
import json
import math

from sta.target import ROOT, Refused, Target

FOLDER = ROOT / "hw/synth/results/pnr"
# Registers whose paths a result keeps: as many of the longest routed ones, and of the longest estimated ones.
PATHS = 15
# Packages and macros, which no netlist names; and what the figures of the analysis come from.
ALWAYS = ("isa/generated/vdla_isa_pkg.sv", "hw/rtl/common/vdla_pkg.sv")
ANALYSIS = ("hw/synth/sta/cells.py", "hw/synth/sta/nets.py", "hw/synth/sta/netlist.py", "hw/synth/sta/paths.py", "hw/synth/sta/routed.py",
            "hw/synth/timing/cells.json")


def hash_of(*paths):
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes() if path.is_file() else b"gone")
    return digest.hexdigest()[:24]


def hashes(files, root=ROOT):
    """Hashes of the files of a netlist that are of this tree, and of the packages that they read."""
    own = {file for file in (*files, *ALWAYS) if (root / file).is_file() and not file.startswith("/")}
    return {file: hash_of(root / file) for file in sorted(own)}


def hash_of_analysis(root=ROOT):
    return hash_of(*(root / path for path in ANALYSIS))


def read(folder, name):
    path = folder / f"{name}.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def read_all(folder=FOLDER):
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def write(folder, result):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{result['name']}.json").write_text(json.dumps(result, indent=1) + "\n")


def differences(result, root=ROOT):
    """Sources, parameters and analysis that are not as they were when a result was measured."""
    changed = [file for file, known in result["sources"].items() if hash_of(root / file) != known]
    try:
        target = Target(result["name"])
        changed += ["its parameters"] if (target.module, target.parameters) != (result["module"], result["parameters"]) else []
    except Refused as error:
        changed.append(str(error))
    return changed + (["the analysis"] if result["analysis"] != hash_of_analysis(root) else [])


def stale_lines(folder=FOLDER, root=ROOT):
    """A sentence for each result that is of other sources."""
    lines = []
    for result in read_all(folder):
        changed = differences(result, root)
        how = "--again " if changed == ["the analysis"] else ""
        lines += [f"hw/synth/results/pnr/{result['name']}.json is of other sources: {', '.join(changed)} changed; `hw/synth/pnr.sh {how}{result['name']}` "
                  "measures anew"] if changed else []
    return lines


def ratios(result):
    """Routed by estimated ns, of each register whose paths are kept."""
    return [path["routed"]["ns"] / path["analysis"]["ns"] for path in result.get("paths", {}).values()]


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def slowest(result):
    return max((unit["routed"] for unit in result["units"].values()), key=lambda path: path["ns"])


def line(result):
    if "not_routed" in result:
        return f"{result['name']}: {result['not_routed']}"
    worst = slowest(result)
    return (f"{result['name']}: routed {worst['ns']:.2f} ns, {1000 / worst['ns']:.0f} MHz, {worst['from']} -> {worst['to']}; "
            f"{geometric_mean(ratios(result)):.2f} times the analysis")


def table(folder=FOLDER):
    """The table of docs/verification.md."""
    rows = ["| | LUTs (`SLICE_LUTX`) | FF | DSP | routed, ns | clock | analysis, ns | times the analysis | longest routed path |",
            "| --- | --: | --: | --: | --: | --: | --: | --: | --- |"]
    for result in read_all(folder):
        use = [result["use"].get(name, 0) for name in ("SLICE_LUTX", "SLICE_FFX", "DSP48E1_DSP48E1")]
        start = f"| `{result['name']}` | " + " | ".join(map(str, use))
        if "not_routed" in result:
            rows.append(f"{start} | | | | | {result['not_routed']} |")
            continue
        worst, estimate = slowest(result), max(unit["analysis"]["ns"] for unit in result["units"].values())
        rows.append(f"{start} | {worst['ns']:.2f} | {1000 / worst['ns']:.0f} MHz routed | {estimate:.2f} | {geometric_mean(ratios(result)):.2f} | "
                    f"`{worst['from']}` to `{worst['to']}` |")
    return rows
