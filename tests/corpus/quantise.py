#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quantises the float networks of models.tsv and of folders on random samples, and compiles what comes of them.

A network that `vdla compile` takes is written by `vdla quantize` and taken by `vdla compile` again, or it has no form
in integers, which quantize says. All else is a fault of the kit. Of each network the table has the signal to noise
of its outputs and the shares of multiply-accumulates that the device computes: those that cost less there, and all that
it can compute (--partition capable). Exit status 1: a fault."""
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import random
import re
import shlex
import shutil
import sys
import tempfile
import zipfile

import npy
import repositories
import run

NO_FORM = ("has no operator with an integer form", "is quantised already", "holds integers with a scale",
           "of integers with a scale")


def write_samples(folder, ports, count):
    folder.mkdir()
    draw = random.Random(1)
    for i in range(count):
        with zipfile.ZipFile(folder / f"{i}.npz", "w") as archive:
            for port in ports:
                data = npy.drawn(draw, port["type"], math.prod(port["shape"]), False)
                archive.writestr(port["name"] + ".npy", npy.file_of(port["type"], port["shape"], data))


def last_line(done):
    """The message of a command that failed; with --json it stands in the output."""
    try:
        return json.loads(done.out)["error"]
    except (ValueError, KeyError, TypeError):
        return (done.error.strip().splitlines() or ["no message"])[-1].removeprefix("vdla: error: ")


def judge(arguments, row, folder, file, flags):
    vdla, seconds, written = arguments.vdla, arguments.seconds, folder / "int8.onnx"
    explained = run.Done([vdla, "explain", file, "--target", "cpu", "--json", *flags], seconds)
    facts = json.loads(explained.out) if explained.status == 0 else {}
    if not facts.get("inputs"):
        row["state"], row["reason"] = "does not compile", last_line(explained)
        return
    write_samples(folder / "samples", facts["inputs"], arguments.samples)
    done = run.Done([vdla, "quantize", file, "--calibration", folder / "samples", "-o", written, "--report", "--json",
                     *flags], seconds)
    row["seconds"] = round(done.seconds, 1)
    if done.status != 0:
        row["reason"] = done.fault() or last_line(done)
        row["state"] = "no form" if any(text in row["reason"] for text in NO_FORM) else "refused"
        return
    told = json.loads(done.out)
    row["report"], row["left_in_float"] = told["report"], told["left_in_float"]
    compiled = run.Done([vdla, "compile", written, "-o", folder / "int8.vdla"], seconds)
    row["state"] = "compiles" if compiled.status == 0 else "not compiled"
    row["reason"] = "" if compiled.status == 0 else compiled.fault() or last_line(compiled)
    capable = run.Done([vdla, "explain", written, "--partition", "capable", "--json"], seconds)
    row["macs_capable"] = json.loads(capable.out)["macs_on_device"] if capable.status == 0 else 0


def one(arguments, row, data):
    folder = pathlib.Path(tempfile.mkdtemp(dir=arguments.work))
    file = folder / ("model" + pathlib.PurePosixPath(row["path"]).suffix)
    file.write_bytes(data())
    try:
        judge(arguments, row, folder, file, shlex.split(row.get("flags") or ""))
    finally:
        shutil.rmtree(folder)
    print(f"{row['state']:16} {row['path']} {row['reason']}".rstrip(), file=sys.stderr, flush=True)
    return row


def models(arguments):
    """(row, function that reads the bytes) of each network."""
    of = {r["repository"]: r for r in repositories.rows(repositories.REPOSITORIES)}
    for model in repositories.rows(repositories.MODELS) if arguments.repositories else []:
        git = repositories.find(arguments.repositories, model["repository"])
        if git and " float" in model["format"]:
            row = {**of[model["repository"]], **model, "path": f"{model['repository']}/{model['path']}"}
            yield row, lambda git=git, row=row, path=model["path"]: repositories.content(git, row["commit"], path)
    for folder in arguments.folder:
        for file in sorted(p for p in folder.rglob("*") if p.suffix in (".onnx", ".tflite")):
            yield {"path": str(file.relative_to(folder))}, file.read_bytes


def decibels(value):
    return "-" if value is None else f"{value:.1f}"


def report(rows):
    print("| network | outputs, dB | MACs on the device | that can be there | layer that costs most | its dB alone |\n"
          "|---|--:|--:|--:|---|--:|")
    for row in rows:
        if row["state"] == "compiles":
            told = row["report"]
            shares = " | ".join(f"{100 * macs / told['macs']:.2f} %" if told["macs"] else "-"
                                for macs in (told["macs_on_device"], row["macs_capable"]))
            layer = told["layers"][0] if told["layers"] else {"node": "-", "alone_db": None}
            print(f"| {row['path']} | {decibels(told['snr_db'])} | {shares} | {layer['node']} | "
                  f"{decibels(layer['alone_db'])} |")
    print("\n| not quantised | networks | reason |\n|---|--:|---|")
    reasons = collections.Counter((row["state"], run.reason_kind(row["reason"])) for row in rows if row["reason"])
    for (state, reason), count in reasons.most_common():
        print(f"| {state} | {count} | {reason.replace('|', '/')[:200]} |")
    for row in rows:
        if row["state"] in ("refused", "not compiled"):
            print(f"\n{row['state']}: {row['path']}: {row['reason']}")
    print("\n" + ", ".join(f"{count} {state}" for state, count in
                           collections.Counter(row["state"] for row in rows).most_common()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="*", help="with .onnx and .tflite files")
    parser.add_argument("--repositories", type=pathlib.Path, help="folder with the repositories of models.tsv")
    parser.add_argument("--vdla", required=True)
    parser.add_argument("--only", default="", help="regular expression of paths")
    parser.add_argument("--skip", default="^$", help="regular expression of paths")
    parser.add_argument("--samples", type=int, default=4, help="drawn for each network")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=300, help="of processor for each command")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows as they come")
    arguments = parser.parse_args()
    chosen = [(row, data) for row, data in models(arguments)
              if re.search(arguments.only, row["path"]) and not re.search(arguments.skip, row["path"])]
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        arguments.work = work
        rows = []
        for row in pool.map(lambda pair: one(arguments, {**pair[0], "state": "", "reason": ""}, pair[1]), chosen):
            rows.append(row)
            if arguments.json:
                arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    report(rows)
    return 1 if not rows or any(row["state"] in ("refused", "not compiled") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
