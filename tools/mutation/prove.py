#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves with yosys that a mutant changes nothing that its module shows.

usage: prove.py --mutant N [--parameters NAME=VALUE,...] [--steps K]

The module with the mutant and the module without it get the same inputs; every output is equal, by a satisfiability
solver where the module keeps nothing, else by induction over K cycles from equal registers. Exit status 0: proven. What
cannot be proven this way may still be equal.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import mutants
import overlay
import rtl


def module_of(text):
    return re.search(r"^module (\w+)", text, re.M).group(1)


def script(files, top, parameters, name, out):
    chparam = "".join(f" -chparam {p.partition('=')[0]} {p.partition('=')[2]}" for p in parameters)
    return (f"read_verilog -sv -Ihw/rtl/common {' '.join(files)}; hierarchy -top {top}{chparam}; proc; flatten; memory_map; opt -full; "
            f"rename -top {name}; write_rtlil {out}")


def prove(root, mutant, parameters, steps):
    top = module_of((root / mutant.file).read_text())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("gold", "gate"):
            files = []
            for file in rtl.files_of(root):
                path = root / file
                if name == "gate" and file == mutant.file:
                    path = folder / pathlib.Path(file).name
                    path.write_text(mutants.apply((root / file).read_text(), mutant))
                files.append(str(path))
            run_yosys(script(files, top, parameters, name, folder / f"{name}.il"), root)
        if re.search(r"always_ff|posedge", (root / mutant.file).read_text()):
            return induce(root, folder, steps)
        return run_yosys(f"read_rtlil {folder}/gold.il; read_rtlil {folder}/gate.il; miter -equiv -flatten gold gate miter; "
                         "hierarchy -top miter; opt; sat -verify -prove trigger 0 miter", root, check=False)


def induce(root, folder, steps):
    """Signals of one name are taken as equal and must then stay so. One that does not is no longer taken so, unless it
    is an output."""
    outputs = set(re.findall(r"wire .*output \d+ \\\\?(\S+)", (folder / "gold.il").read_text().replace("\\", "")))
    unlike = set()
    while True:
        (folder / "unlike").write_text("".join(f"{name}\n" for name in sorted(unlike)))
        text = (f"read_rtlil {folder}/gold.il; read_rtlil {folder}/gate.il; equiv_make -blacklist {folder}/unlike gold gate equiv; "
                f"hierarchy -top equiv; clean; equiv_struct -icells; equiv_simple -seq {steps}; equiv_induct -seq {steps}; tee -o {folder}/status equiv_status")
        run_yosys(text, root)
        status = (folder / "status").read_text()
        left = set(re.findall(r"Unproven \$equiv \S+: \\?(\S+?)_gold", status.replace("\\", "")))
        if "Equivalence successfully proven" in status:
            return True
        if not left or left & outputs or left <= unlike:
            return False
        unlike |= left


def run_yosys(text, root, check=True):
    done = subprocess.run(["yosys", "-q", "-p", text], cwd=root, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=overlay.find_root())
    parser.add_argument("--mutant", type=int, required=True, help="number in the list")
    parser.add_argument("--parameters", default="", help="of the module, when not its defaults")
    parser.add_argument("--steps", type=int, default=2)
    args = parser.parse_args()
    mutant = mutants.list_mutants(args.root, rtl.files_of(args.root))[0][args.mutant - 1]
    print(f"{mutant.file}:{mutant.line}: {mutant.kind}: {rtl.short(mutant.before)} -> {rtl.short(mutant.after)}")
    equal = prove(args.root.resolve(), mutant, [p for p in args.parameters.split(",") if p], args.steps)
    print("equal" if equal else "not proven")
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
