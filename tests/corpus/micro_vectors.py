#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the operators of TFLite Micro's kernel tests, and prints a table by operator.

The tests are those that bench/tensorflow_lite builds with a recorder: each test that passes there leaves a TFLite file
of one operator with the inputs and outputs of its runs. Integers must be equal, floats within a part of the largest
magnitude. A case is equal, differs, is refused by name, or is a fault of the kit. Tests that no runner of Micro ran
leave nothing and are counted by program. Exit status 1: a case that differs, or a fault."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

import npy
import oracle
import run

STATES = ("equal", "differs", "refused", "no file", "fault")


def recorded(program, records, seconds):
    """Folders of the cases of one test program, and why there are none."""
    folder = records / program.name
    folder.mkdir()
    done = subprocess.run([program], env={**os.environ, "MICRO_RECORDS": str(folder)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=seconds * 4)
    if done.returncode != 0:
        failed = re.findall(r"\[  FAILED  \] (\S+)", done.stdout.decode(errors="replace"))
        return [], f"fails here: {', '.join(failed[:3]) or done.returncode}"
    cases = sorted(folder.iterdir(), key=lambda case: int(case.name))
    return cases, "" if cases else "runs no operator"


def runs_of(case):
    """Folders of the runs that Micro answered, in order; those behind one that it refused count no more."""
    runs = sorted((run for run in case.iterdir() if run.is_dir()), key=lambda run: int(run.name))
    answered = [(run / "out").is_dir() for run in runs]
    return runs[:answered.index(False)] if False in answered else runs


def pack(case, runs):
    """Inputs as a folder of .npz files, one a run, in order."""
    inputs = case / "inputs"
    inputs.mkdir()
    for i, one in enumerate(runs):
        with zipfile.ZipFile(inputs / f"{i:04}.npz", "w") as archive:
            for file in sorted((one / "in").iterdir()):
                archive.writestr(file.name, file.read_bytes())
    return inputs


def judge(arguments, case, runs):
    """(state, reason) of a case."""
    model, outputs = case / "model.tflite", case / "outputs.npz"
    done = run.Done([arguments.vdla, "eval", model, "--inputs", pack(case, runs), "--output", outputs, "--target",
                     arguments.target], arguments.seconds)
    if done.status != 0:
        if done.fault():
            return "fault", done.fault()
        refused = run.refusals(arguments.vdla, model, [], arguments.seconds, done.error.strip())
        return "refused", "; ".join(sorted({reason for _, reason in refused}))
    largest = 0
    with zipfile.ZipFile(outputs) as archive:
        for name in archive.namelist():
            kind, _, data = npy.parts(archive.read(name))
            expected = [npy.parts((one / "out" / name).read_bytes()) for one in runs]
            if expected[0][0] != kind:
                return "differs", f"gives {kind}, Micro {expected[0][0]}"
            theirs = [value for _, _, bytes_of_one in expected for value in npy.values(kind, bytes_of_one)]
            distance = oracle.distance(npy.values(kind, data), theirs)
            if distance > (arguments.tolerance if kind.startswith("float") else 0):
                largest = max(largest, distance)
    return ("differs", f"by {largest:.3g}") if largest else ("equal", "")


def one(arguments, program, case):
    operator = (case / "operator").read_text()
    if (case / "no_file").exists():
        return {"operator": operator, "type": "", "state": "no file", "reason": (case / "no_file").read_text(),
                "case": f"{program.name} {case.name}"}
    runs = runs_of(case)
    if not runs:
        return None
    kinds = {npy.parts(file.read_bytes())[0] for file in sorted((runs[0] / "out").iterdir())}
    state, reason = judge(arguments, case, runs)
    return {"operator": operator, "type": "/".join(sorted(kinds)), "state": state, "reason": reason,
            "case": f"{program.name} {case.name}"}


def table(rows):
    groups = collections.defaultdict(collections.Counter)
    for row in rows:
        groups[row["operator"]][row["state"]] += 1
        groups["all"][row["state"]] += 1
    lines = ["| operator | cases | " + " | ".join(STATES) + " |", "|---|" + "--:|" * (len(STATES) + 1)]
    for name in [*sorted(set(groups) - {"all"}), "all"]:
        lines.append(f"| {name} | {sum(groups[name].values())} | " + " | ".join(str(groups[name][state]) for state in STATES) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", type=pathlib.Path, help="folder with the programs of Micro's kernel tests")
    parser.add_argument("--vdla", required=True)
    parser.add_argument("--only", default="", help="regular expression of programs")
    parser.add_argument("--target", default="vdla", help="as for vdla eval")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=30, help="of processor for each case")
    parser.add_argument("--tolerance", type=float, default=1e-5, help="of floats")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the cases in this new folder")
    arguments = parser.parse_args()
    programs = sorted(file for file in arguments.tests.iterdir() if file.name.endswith("_test") and re.search(arguments.only, file.name))
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        records = arguments.keep or pathlib.Path(temporary)
        records.mkdir(exist_ok=True)
        cases, silent = [], []
        for program in programs:
            found, why = recorded(program, records, arguments.seconds)
            cases += [(program, case) for case in found]
            silent += [f"{program.name}: {why}"] if why else []
        rows = [row for row in pool.map(lambda item: one(arguments, *item), cases) if row]
    print(table(rows))
    reasons = collections.Counter((row["operator"], row["type"], row["reason"]) for row in rows if row["state"] in ("refused", "no file"))
    print("\n| refused | outputs | cases | reason |\n|---|---|--:|---|")
    for (operator, kind, reason), count in sorted(reasons.items()):
        print(f"| {operator} | {kind} | {count} | {reason.replace('|', '/')[:160]} |")
    for row in rows:
        if row["state"] in ("differs", "fault"):
            print(f"\n{row['state']}: {row['operator']} of {row['type']}, {row['case']}: {row['reason']}")
    print(f"\n{len(programs)} programs; {len(cases) - len(rows)} cases that Micro refuses; without a case: " + ("; ".join(silent) or "none"))
    return 1 if not rows or any(row["state"] in ("differs", "fault") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
