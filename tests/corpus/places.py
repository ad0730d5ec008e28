#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts why nodes of integer networks stay on the CPU, by `vdla explain --json`.

The networks are those of models.tsv and of folders whose format matches --formats; a network that is refused counts in
no row. Prints a table of operators and reasons, with nodes, networks and multiply-accumulates. Names and numbers of a
reason are left out; costs of an island are "costs more on the device". Exit status 1: no network compiled."""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import shlex
import sys
import tempfile

import choose
import repositories
import run

COSTS = re.compile(r"\bon the device [\d.]+ us and")


def models(arguments):
    """(name, format, flags, function that reads the bytes) of each network."""
    of = {r["repository"]: r for r in repositories.rows(repositories.REPOSITORIES)}
    for model in repositories.rows(repositories.MODELS) if arguments.repositories else []:
        git = repositories.find(arguments.repositories, model["repository"])
        if git:
            commit = of[model["repository"]]["commit"]
            yield (f"{model['repository']}/{model['path']}", model["format"], shlex.split(model["flags"] or ""),
                   lambda git=git, commit=commit, path=model["path"]: repositories.content(git, commit, path))
    for folder in arguments.folder:
        for file in sorted(p for p in folder.rglob("*") if p.suffix in (".onnx", ".tflite")):
            data = file.read_bytes()
            if not choose.is_model(file.name, data):
                continue
            form = choose.tflite_format(data) if file.suffix == ".tflite" else choose.onnx_format(data)
            yield str(file.relative_to(folder)), form, [], file.read_bytes


def explained(arguments, model):
    """Report of `vdla explain` on a network: an object without nodes where it is refused."""
    name, form, flags, data = model
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / ("model" + pathlib.PurePosixPath(name).suffix)
        file.write_bytes(data())
        done = run.Done([arguments.vdla, "explain", file, "--json", *arguments.flag, *flags], arguments.seconds)
    print(f"{done.status} {name}", file=sys.stderr, flush=True)
    return {"network": name, "format": form, **(json.loads(done.out) if done.status == 0 else {})}


def reason_of(node):
    """The reason without what belongs to one network."""
    if COSTS.search(node["reason"]):
        return "costs more on the device"
    reason = re.sub(r", computed with '[^']*'", "", node["reason"].split(";")[0])
    return run.reason_kind(re.sub(r"\b\d+(x\d+)+\b", "NxN", reason))


def report(networks):
    rows = collections.defaultdict(lambda: {"nodes": 0, "macs": 0, "networks": set()})
    for network in networks:
        for node in network["nodes"]:
            if node["place"] == "cpu":
                row = rows[node["op"], reason_of(node)]
                row["nodes"] += 1
                row["macs"] += node["macs"]
                row["networks"].add(network["network"])
    print("| operator | why it is on the CPU | nodes | networks | MACs |\n|---|---|--:|--:|--:|")
    for (operator, reason), row in sorted(rows.items(), key=lambda item: (-item[1]["nodes"], item[0])):
        print(f"| {operator} | {reason.replace('|', '/')} | {row['nodes']} | {len(row['networks'])} | {row['macs']:,} |")
    nodes = [node for network in networks for node in network["nodes"]]
    macs, there = (sum(network[key] for network in networks) for key in ("macs", "macs_on_device"))
    print(f"\n{len(networks)} networks, {sum(node['place'] == 'cpu' for node in nodes):,} of {len(nodes):,} nodes on the CPU; "
          f"{100 * there / max(1, macs):.2f} % of {macs:,} MACs on the device")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="*", help="with .onnx and .tflite files")
    parser.add_argument("--repositories", type=pathlib.Path, help="folder with the repositories of models.tsv")
    parser.add_argument("--vdla", required=True)
    parser.add_argument("--formats", default=" int8$", help="regular expression of formats")
    parser.add_argument("--only", default="", help="regular expression of names")
    parser.add_argument("--skip", default="^$", help="regular expression of names")
    parser.add_argument("--flag", action="append", default=[], help="further flag of vdla explain: --flag=--partition=capable")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60, help="of processor for each network")
    parser.add_argument("--json", type=pathlib.Path, help="write what explain printed")
    arguments = parser.parse_args()
    chosen = [model for model in models(arguments) if re.search(arguments.formats, model[1]) and
              re.search(arguments.only, model[0]) and not re.search(arguments.skip, model[0])]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        networks = list(pool.map(lambda model: explained(arguments, model), chosen))
    taken = [network for network in networks if "nodes" in network]
    report(taken)
    if arguments.json:
        arguments.json.write_text(json.dumps(networks, indent=1) + "\n")
    return 0 if taken else 1


if __name__ == "__main__":
    sys.exit(main())
