#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what `vdla compile` takes of each model file of a folder: processor seconds, and memory at its peak.

Models are files that end in .tflite or .onnx, below a size. Prints the models beyond a bar, and the sums. With --keep,
each module's hash goes to a file, and --against compares the hashes with those of an earlier run: a change that makes
a compile faster leaves every module as it was. Exit status 1: a model beyond a bar, or another module."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ENDINGS = (".tflite", ".onnx")


def digest_of(file):
    """The hash, read in pieces: the peak of a process counts what its parent had when it forked."""
    with open(file, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def compile_one(arguments, model):
    """Seconds, MiB, and the module's hash; no hash where the model is refused."""
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder) / "model.vdla"
        process = subprocess.Popen([arguments.vdla, "compile", model, "-o", module, *arguments.flags],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        digest = digest_of(module) if process.returncode == 0 else None
        return {"model": str(model.relative_to(arguments.models)), "status": process.returncode, "module": digest,
                "seconds": round(used.ru_utime + used.ru_stime, 2), "mebibytes": used.ru_maxrss >> 10}


def report(rows, arguments):
    """The rows beyond a bar."""
    compiled = [row for row in rows if row["module"]]
    beyond = [row for row in rows if row["seconds"] > arguments.seconds or row["mebibytes"] > arguments.mebibytes]
    print("| model | seconds | MiB |\n|---|--:|--:|")
    for row in sorted(beyond, key=lambda row: -row["seconds"]):
        print(f"| {row['model']} | {row['seconds']:.2f} | {row['mebibytes']} |")
    print(f"\n{len(rows)} models, {len(compiled)} compiled, {sum(row['seconds'] for row in rows):.1f} s of processor; at most "
          f"{max(row['seconds'] for row in rows):.2f} s and {max(row['mebibytes'] for row in rows)} MiB; "
          f"{len(beyond)} beyond {arguments.seconds} s or {arguments.mebibytes} MiB")
    return beyond


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path, help="folder with models, at any depth")
    parser.add_argument("--vdla", required=True)
    parser.add_argument("--below", type=float, default=4, metavar="MIB", help="size of the files")
    parser.add_argument("--seconds", type=float, default=4, help="the bar, of processor")
    parser.add_argument("--mebibytes", type=float, default=200, help="the bar, of memory")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="write the rows as JSON")
    parser.add_argument("--against", type=pathlib.Path, help="rows of an earlier run, whose modules are compared")
    parser.add_argument("flags", nargs="*", help="of vdla compile, behind --")
    arguments = parser.parse_args()
    models = sorted(file for file in arguments.models.rglob("*")
                    if file.suffix in ENDINGS and file.stat().st_size < arguments.below * 2**20)
    if not models:
        sys.exit(f"no model below {arguments.below} MiB in {arguments.models}")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda model: compile_one(arguments, model), models))
    if arguments.keep:
        arguments.keep.write_text(json.dumps(rows, indent=1) + "\n")
    beyond, others = report(rows, arguments), []
    if arguments.against:
        before = {row["model"]: row["module"] for row in json.loads(arguments.against.read_text())}
        others = [row["model"] for row in rows if before.get(row["model"]) != row["module"]]
        print(f"{len(rows) - len(others)} modules as before, {len(others)} not", *others, sep="\n")
    return 1 if beyond or others else 0


if __name__ == "__main__":
    sys.exit(main())
