#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles, runs and compares the public models of models.tsv, and prints a table by family and by format.

Each model is read from its repository by commit and path, and its hash is checked. It is compiled for the device; a
random input then runs on the functional engine and in machine code, and all tensors are compared with the meaning of
each node: integers equal, floats within a part of a tensor's largest magnitude. With an oracle, the outputs are held
against those of TensorFlow Lite or of ONNX Runtime as well, floats within a part of the largest magnitude, or as far
as the oracles are from each other: ONNX Runtime's two levels of optimisation, TFLite Micro and TensorFlow Lite. With
--engine, they are held against those of another engine, where layers are on the device.

A model is right; it differs; it ran, where neither comparison could be made; or it is refused, with reasons. All else
is a fault of the kit: a crash, a command beyond its limits, engines that differ. Exit status 1: a fault, a model that
differs from its own meaning, or a repository that is not there."""
import argparse
import collections
import concurrent.futures
import functools
import hashlib
import json
import math
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

import npy
import oracle
import repositories

MEMORY_LIMIT = 8 << 30
# Needs of a compile that are not named: seconds of processor and MiB.
BAR_SECONDS, BAR_MIB = 4, 200
STATES = ("right", "differs", "ran", "refused", "fault")


# Starts a command and writes status, seconds of processor and memory. The system counts the memory of the process that
# starts a program as the program's, so that process is this small one.
STARTER = """
import os, resource, sys
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
os.write(int(sys.argv[1]), f"{status} {used.ru_utime + used.ru_stime} {used.ru_maxrss}".encode())
"""


class Done:
    """An ended command: its status (negative: a signal), its texts, processor seconds and most MiB in memory."""

    def __init__(self, command, seconds):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))

        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error, tempfile.TemporaryFile() as used:
            subprocess.run([sys.executable, "-S", "-c", STARTER, str(used.fileno()), *map(str, command)], stdin=subprocess.DEVNULL,
                           stdout=out, stderr=error, preexec_fn=limit, pass_fds=[used.fileno()])
            for file in (out, error, used):
                file.seek(0)
            self.out, self.error, told = (file.read().decode(errors="replace") for file in (out, error, used))
        if not told:
            raise SystemExit(f"{command[0]} cannot be started: {self.error.strip()[-200:]}")
        status, processor, kib = told.split()
        self.status, self.seconds, self.mib = int(status), float(processor), int(kib) / 1024

    def fault(self):
        """What went wrong in the kit, or None where it ended as it should."""
        if self.status in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"no end after {self.seconds:.0f} s of processor"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        return self.error.strip().splitlines()[-1] if self.status == 3 else None


def reason_kind(text):
    """A reason without the names and numbers of one model."""
    return re.sub(r"\b\d+\b", "N", re.sub(r"'[^']*'", "'..'", text))


def refusals(command, model, flags, seconds, error):
    """(operator or port, reason) of each refusal; of a file that is refused as a whole, its error."""
    done = Done([command, "explain", model, "--json", *flags], seconds)
    try:
        listed = json.loads(done.out).get("refusals", [])
    except ValueError:
        listed = []
    found = [(r.get("operator") or "a port", reason_kind(r["reason"])) for r in listed]
    return found or [("the file", reason_kind(re.sub(r"^vdla: error: ([A-Za-z]+ model '[^']*': )?", "", error)))]


def draw_inputs(vdla, folder, module, seconds):
    """Writes a random inputs.npz for the module."""
    draw = random.Random(1)
    listed = json.loads(Done([vdla, "explain", module, "--json"], seconds).out)["inputs"]
    with zipfile.ZipFile(folder / "inputs.npz", "w") as archive:
        for port in listed:
            data = npy.drawn(draw, port["type"], math.prod(port["shape"]), "scale" in port)
            archive.writestr(port["name"] + ".npy", npy.file_of(port["type"], port["shape"], data))


def one(arguments, model):
    """The row of one model: its line of models.tsv and what came of it."""
    row = {**model, "state": "fault", "reasons": []}
    git = repositories.find(arguments.repositories, model["repository"])
    data = repositories.content(git, model["commit"], model["path"])
    if hashlib.sha256(data).hexdigest() != model["sha256"]:
        raise SystemExit(f"{model['repository']} {model['path']}: another file than models.tsv names")
    folder = pathlib.Path(tempfile.mkdtemp(dir=arguments.work))
    file = folder / ("model" + pathlib.PurePosixPath(model["path"]).suffix)
    file.write_bytes(data)
    try:
        judge(arguments, row, folder, file, shlex.split(model["flags"] or ""))
    finally:
        shutil.rmtree(folder)
    print(f"{row['state']:8} {row['repository']}/{row['path']}", file=sys.stderr, flush=True)
    return row


def judge(arguments, row, folder, file, flags):
    vdla, seconds, module = arguments.vdla, arguments.seconds, folder / "model.vdla"
    compiled = Done([vdla, "compile", file, "-o", module, *flags], seconds)
    row["compile_seconds"], row["compile_mib"] = round(compiled.seconds, 2), round(compiled.mib)
    if compiled.status != 0:
        fault = compiled.fault()
        row["state"] = "fault" if fault else "refused"
        row["reasons"] = [("compile", fault)] if fault else refusals(vdla, file, flags, seconds, compiled.error.strip())
        return
    draw_inputs(vdla, folder, module, seconds)
    inputs, outputs = folder / "inputs.npz", folder / "outputs.npz"
    ran = Done([vdla, "run", module, "--input", inputs, "--output", outputs], seconds)
    row["run_seconds"] = round(ran.seconds, 2)
    if ran.status != 0:
        row["reasons"] = [("run", ran.fault() or reason_kind(ran.error.strip()[-300:]))]
        return
    row["state"] = "ran"
    if "--bind" in flags:
        row["no_meaning"] = "diff takes no --bind"
    else:  # flags are of a network that diff compiles itself
        compared = [file, *flags] if flags else [module, "--model", file]
        with_meaning(arguments, row, [vdla, "diff", *compared, "--input", inputs, "--against", "interpreter",
                                      "--json", "--tolerance", str(arguments.tolerance)])
    if arguments.engine and row["state"] in ("right", "ran"):
        with_engines(arguments, row, folder, module, inputs, outputs)
    oracles = arguments.tflite_oracle if file.suffix == ".tflite" else arguments.onnx_oracle
    if row["state"] in ("right", "ran"):
        with_oracle(arguments, row, oracles, folder, file, flags)


def arrays(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_engines(arguments, row, folder, module, inputs, outputs):
    """Holds the outputs of further engines to those of the functional one, unless that takes too long."""
    explained = json.loads(Done([arguments.vdla, "explain", module, "--json"], arguments.seconds).out)
    if not any(node["place"] == "vdla" for node in explained.get("nodes", [])):
        return
    row["engines"] = {}
    for engine in arguments.engine:
        other = folder / f"{engine}.npz"
        done = Done([arguments.vdla, "run", module, "--input", inputs, "--engine", engine, "--output", other],
                    arguments.engine_seconds)
        if done.status in (-signal.SIGXCPU, -signal.SIGKILL):
            row["engines"][engine] = "no end"
            continue
        row["engines"][engine] = "equal" if done.status == 0 and arrays(other) == arrays(outputs) else "differs"
        if row["engines"][engine] == "differs":
            row["state"], row["reasons"] = "fault", [(engine, done.fault() or done.error.strip()[-300:] or "other outputs")]
            return


def with_meaning(arguments, row, command):
    """Compares all tensors with the meaning of their nodes, unless that takes too long."""
    if arguments.interpret_seconds == 0:
        return
    done = Done(command, arguments.interpret_seconds)
    if done.status in (-signal.SIGXCPU, -signal.SIGKILL):
        row["no_meaning"] = f"no end after {done.seconds:.0f} s of processor"
        return
    told = json.loads(done.out) if done.out.startswith("{") else {"error": done.error.strip()[-300:]}
    if done.status not in (0, 1) or "error" in told:
        row["state"], row["reasons"] = "fault", [("diff", done.fault() or reason_kind(told.get("error", "")))]
        return
    row["tensors"], row["state"] = told.get("compared", 0), "differs" if done.status else "right"
    if done.status:
        row["reasons"] = [("the interpreter", json.dumps(told.get("first")))]


def with_oracle(arguments, row, oracles, folder, file, flags):
    """Holds the outputs against those of the first oracle that runs the model, and the other oracles against it."""
    refused, answers = [], []
    for command in oracles:
        try:
            answers.append(oracle.answer(command, folder, file, flags, arguments.seconds * 4))
        except (LookupError, OSError, ValueError) as error:
            refused.append(str(error))
    try:
        ours = oracle.ours(folder, answers[0]) if answers else None
    except LookupError as error:
        refused.append(str(error))
        ours = None
    if ours is None:
        row["no_oracle"] = "; ".join(refused)
        return
    floats, steps = oracle.distances(ours, answers[0])
    spread = max([0.0, *(oracle.distances(other, answers[0])[0] for other in answers[1:])])
    row["oracle_floats"], row["oracle_steps"], row["oracle_spread"], row["state"] = floats, steps, spread, "right"
    of_floats = row["format"].startswith("TFLite float") or row["format"] == "ONNX float"
    tolerance = max(arguments.oracle_tolerance, spread) if of_floats else arguments.oracle_steps / 255
    if floats > tolerance or steps > arguments.oracle_steps:
        row["state"] = "differs"
        row["reasons"] = [("the oracle", f"by {floats:.2g} of the largest magnitude (oracles by {spread:.2g}), {steps} steps")]


def table(rows, column):
    lines = [f"| {column} | models | " + " | ".join(STATES) + " | taken | with its meaning | with an oracle | equal to it |",
             "|---|" + "--:|" * (len(STATES) + 5)]
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row[column]].append(row)
    for name, group in [*sorted(groups.items()), ("all", rows)]:
        states = collections.Counter(row["state"] for row in group)
        taken = states["right"] + states["differs"] + states["ran"]
        meaning, held = (sum(key in row for row in group) for key in ("tensors", "oracle_floats"))
        lines.append(f"| {name} | {len(group)} | " + " | ".join(str(states[s]) for s in STATES) +
                     f" | {100 * taken / max(1, len(group)):.0f} % | {meaning} | {held} | "
                     f"{sum(row.get('oracle_floats') == 0 == row['oracle_steps'] for row in group)} |")
    return "\n".join(lines)


def engines(rows):
    """How many models of those with layers on the device gave what on each engine."""
    found = collections.Counter((engine, result) for row in rows for engine, result in row.get("engines", {}).items())
    names = sorted({engine for engine, _ in found})
    results = ("equal", "differs", "no end")
    return "\n".join(["| engine | " + " | ".join(results) + " |", "|---|--:|--:|--:|",
                      *(f"| {name} | " + " | ".join(str(found[name, result]) for result in results) + " |"
                        for name in names)])


def report(rows):
    print(table(rows, "family"), table(rows, "format"), sep="\n\n")
    if any("engines" in row for row in rows):
        print("\n" + engines(rows))
    reasons = collections.defaultdict(set)
    for i, row in enumerate(rows):
        for where, reason in row["reasons"] if row["state"] == "refused" else []:
            reasons[where, reason].add(i)
    print("\n| refused | models | reason |\n|---|--:|---|")
    for (where, reason), models in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"| {where} | {len(models)} | {reason.replace('|', '/')[:160]} |")
    for row in rows:
        if row["state"] in ("differs", "fault"):
            print(f"\n{row['state']}: {row['repository']} {row['path']}: {row['reasons']}")
        if row.get("no_oracle"):
            print(f"\nnot asked: {row['repository']} {row['path']}: {row['no_oracle']}")
    for row in rows:
        if row.get("compile_seconds", 0) > BAR_SECONDS or row.get("compile_mib", 0) > BAR_MIB:
            print(f"\nbeyond the bar: {row['repository']} {row['path']}: {row['compile_seconds']} s, {row['compile_mib']} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repositories", type=pathlib.Path, required=True, help="folder with the repositories")
    parser.add_argument("--vdla", required=True)
    parser.add_argument("--only", default="", help="regular expression of repositories and paths")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60, help="of processor for each command")
    parser.add_argument("--interpret-seconds", type=int, default=60, help="of processor for the meaning of a model, 0: do not compare")
    parser.add_argument("--engine", action="append", default=[], help="systemc or rtl, which runs each module, too")
    parser.add_argument("--engine-seconds", type=int, default=120, help="of processor for a run on such an engine")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of floats, against the meaning of a node")
    parser.add_argument("--tflite-oracle", metavar="LIBRARY", action="append", default=[],
                        help="TFLite Micro or TensorFlow Lite's C library; the first that runs a model is held against")
    parser.add_argument("--onnx-oracle", metavar="NODE_MODULES", action="append", default=[], help="folder with onnxruntime-node")
    parser.add_argument("--oracle-tolerance", type=float, default=1e-5, help="of floats, against an oracle")
    parser.add_argument("--oracle-steps", type=int, default=4, help="of 255, of integers against an oracle")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows")
    arguments = parser.parse_args()
    here = repositories.FOLDER
    arguments.tflite_oracle = [[sys.executable, here / "tflite_oracle.py", path] for path in arguments.tflite_oracle]
    arguments.onnx_oracle = [["node", here / "onnx_oracle.mjs", path, level] for path in arguments.onnx_oracle
                             for level in ("disabled", "all")]
    of = {r["repository"]: r for r in repositories.rows(repositories.REPOSITORIES)}
    models = [{**of[m["repository"]], **m} for m in repositories.rows(repositories.MODELS)
              if re.search(arguments.only, f"{m['repository']}/{m['path']}")]
    absent = {m["repository"] for m in models if not repositories.find(arguments.repositories, m["repository"])}
    if absent:
        print(f"not in {arguments.repositories}: " + ", ".join(sorted(absent)), file=sys.stderr)
        models = [m for m in models if m["repository"] not in absent]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        arguments.work = work
        rows = list(pool.map(functools.partial(one, arguments), models))
    report(rows)
    print(f"\n{len(rows)} models in {time.monotonic() - began:.0f} s", file=sys.stderr)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    wrong = [row for row in rows if row["state"] == "fault" or
             (row["state"] == "differs" and row["reasons"][0][0] == "the interpreter")]
    return 1 if wrong or absent or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
