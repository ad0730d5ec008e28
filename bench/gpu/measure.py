#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a package of kernels on this machine's GPU: NVIDIA's compute-sanitizer on small tasks, where it is
installed; then all programs, their results first and then their times; then what others make of the same tasks.

usage: python3 PACKAGE/measure.py -o FOLDER [--seconds 400] [--part sanitizer|ours|rivals ...]

It stands in the package beside what it starts (bench_gpu_run, rivals.py). FOLDER gets sanitizer.json, ours.json,
rivals.json. What was begun when the time is over is left out.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

# Tools for small tasks only, whose default programs they slow down by a hundred and more.
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
SMALL = ("D9", "D6", "C11", "C12", "digits")
SANITIZER_SECONDS = 90
PARTS = ("sanitizer", "ours", "rivals")


def sanitize(package, out, until):
    """{tool: {"tasks": names, "errors": number}} of each tool of compute-sanitizer; {} where it is not installed."""
    found, program = {}, shutil.which("compute-sanitizer")
    if program is None:
        print("compute-sanitizer is not installed; it comes with CUDA's toolkit", flush=True)
    tasks = [task["id"] for task in json.loads((package / "package.json").read_text())["tasks"] if task["id"] in SMALL]
    for tool in TOOLS if program and tasks else ():
        command = [program, "--tool", tool, package / "bench_gpu_run", package, "-o", out / "under_sanitizer.json", "--no-times",
                   "--first", "1"]
        for task in tasks:
            command += ["--only", task]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=max(5, until - time.time()))
        except subprocess.TimeoutExpired:
            found[tool] = {"tasks": tasks, "unfinished": True}
            continue
        summary = re.findall(r"ERROR SUMMARY: (\d+)|RACECHECK SUMMARY: (\d+)", run.stdout + run.stderr)
        found[tool] = {"tasks": tasks, "status": run.returncode,
                       "errors": sum(int(a or b) for a, b in summary) if summary else None}
        if run.returncode != 0 or not summary or found[tool]["errors"]:
            print((run.stdout + run.stderr)[-3000:], flush=True)
        print(f"compute-sanitizer {tool}: {found[tool]['errors']} errors in {', '.join(tasks)}", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, help="a folder")
    parser.add_argument("--seconds", type=float, default=400, help="for all of it")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this; may be given several times")
    flags = parser.parse_args()
    package, out = pathlib.Path(__file__).resolve().parent, pathlib.Path(flags.output)
    out.mkdir(parents=True, exist_ok=True)
    parts, end, status = flags.part or PARTS, time.time() + flags.seconds, 0
    if "sanitizer" in parts:
        found = sanitize(package, out, time.time() + min(SANITIZER_SECONDS, flags.seconds / 3))
        (out / "sanitizer.json").write_text(json.dumps(found, indent=1) + "\n")
        status |= any(tool.get("errors") for tool in found.values())
    # Half of the rest for ours, where others are measured, too.
    if "ours" in parts:
        share = 0.5 if "rivals" in parts else 1
        status |= subprocess.run([package / "bench_gpu_run", package, "-o", out / "ours.json", "--seconds",
                                  str(int((end - time.time()) * share))], check=False).returncode
    if "rivals" in parts:
        status |= subprocess.run([sys.executable, package / "rivals.py", package / "package.json", "-o", out / "rivals.json",
                                  "--seconds", str(int(end - time.time()))], check=False).returncode
    return int(bool(status))


if __name__ == "__main__":
    sys.exit(main())
