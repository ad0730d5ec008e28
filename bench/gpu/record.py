#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what bench_gpu_run and rivals.py wrote on one machine into the record that documents and bench_paper quote: the
device, and for each task our best and default kernels beside the others'. Of several runs our last one of a task
counts, and of the others the fastest in all of them: what they choose by trying varies from run to run.

bench/gpu/record.py --run OURS.json RIVALS.json COMMIT [--run ...] [--rivals RIVALS.json ...] [--sanitizer FILE]
                    -o bench/gpu/recorded.json

A run of a package for a machine 'server-winograd' says how fast layers are by Winograd's convolution, beside what they
have without it.
"""
import argparse
import json
import math
import sys


def row_of(ours, theirs):
    candidates = ours["candidates"]
    best = next(c for c in candidates if c["name"] == ours["best"])
    row = {"id": ours["id"], "flops": ours["flops"], "seconds": best["seconds"], "least": best["least"], "most": best["most"],
           "default_seconds": candidates[0].get("seconds"), "candidates": len(candidates),
           "right": sum(bool(c.get("right")) for c in candidates), "difference": best["difference"],
           "knobs": best["knobs"] or "default"}
    apart = [c for c in candidates if "fetch=neither" in c["knobs"] and "seconds" in c]
    if apart:
        row["without_cooperation"] = min(c["seconds"] for c in apart)
    if "functions" in best:
        row["sum_of_functions"] = best["sum_of_functions"]
        row["functions"] = best["functions"]
    if theirs and theirs.get("seconds"):
        row["rival"] = theirs["best"]
        row["rival_seconds"] = theirs["seconds"]
        row["rivals"] = {name: variant["seconds"] for name, variant in theirs["variants"].items() if variant.get("seconds")}
        row["ratio"] = theirs["seconds"] / best["seconds"]
    return row


def mean_ratio(rows, first):
    ratios = [r["ratio"] for r in rows if r["id"].startswith(first) and r["id"][1:].isdigit() and "ratio" in r]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs=3, action="append", required=True, metavar=("OURS", "RIVALS", "COMMIT"),
                        help="what the two programs wrote in one call, and the commit that the package was made of")
    parser.add_argument("--rivals", action="append", default=[], help="of another run of the others alone on such a GPU")
    parser.add_argument("--sanitizer", help="what measure.py found by compute-sanitizer")
    parser.add_argument("-o", "--output", required=True)
    flags = parser.parse_args()
    rows, checked, runs, fastest, winograd = {}, {}, [], {}, {}
    device = None
    for path in [run[1] for run in flags.run] + flags.rivals:
        with open(path) as file:
            rivals = json.load(file)
        device = device or rivals["device"]
        if rivals["device"] != device:
            sys.exit(f"record.py: {path} is of {rivals['device']}, the others of {device}: these are not one record")
        for row in rivals["rows"]:
            if row.get("seconds") and row["seconds"] < fastest.get(row["id"], {"seconds": math.inf})["seconds"]:
                fastest[row["id"]] = row
    for ours_path, rivals_path, commit in flags.run:
        with open(ours_path) as file:
            ours = json.load(file)
        with open(rivals_path) as file:
            rivals = json.load(file)
        if rivals["device"] not in ours["device"]:
            sys.exit(f"record.py: ours ran on {ours['device']}, the others on {rivals['device']}: run both on one machine")
        runs.append({"device": rivals["device"], "driver": rivals["driver"], "cuda": ours["driver"], "date": rivals["date"],
                     "commit": commit, "code": ours["code"], "machine": ours["machine"],
                     "others": {name: rivals.get(name) for name in ("torch", "cudnn", "cublas", "cuda", "jax") if rivals.get(name)}})
        for row in ours["rows"]:
            if ours["machine"].endswith("winograd"):
                winograd[row["id"]] = row
                continue
            if "seconds" not in row:
                checked[row["id"]] = row["candidates"][0].get("right", False)
                continue
            rows[row["id"]] = {**row_of(row, fastest.get(row["id"])), "run": len(runs) - 1}
    for name, row in winograd.items():
        best = next(c for c in row["candidates"] if c["name"] == row["best"])
        rows[name]["winograd"] = {"seconds": best["seconds"], "default_seconds": row["candidates"][0].get("seconds"),
                                  "difference": best["difference"], "candidates": len(row["candidates"]),
                                  "right": sum(bool(c.get("right")) for c in row["candidates"])}
    sanitizer = {}
    if flags.sanitizer:
        with open(flags.sanitizer) as file:
            sanitizer = json.load(file)
    record = {**runs[-1], "others": {name: version for run in runs for name, version in run["others"].items()}, "runs": runs,
              "convolutions": mean_ratio(rows.values(), "C"), "depthwise": mean_ratio(rows.values(), "D"),
              "rows": list(rows.values()), "checked": checked, "sanitizer": sanitizer}
    with open(flags.output, "w") as file:
        json.dump(record, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
