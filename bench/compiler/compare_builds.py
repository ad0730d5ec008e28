#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of one build of the kit over those of another one, measured in turn on the same machine: what the CPU's code
takes (bench_compiler_cpu, bench_compiler_network on one thread), how long `vdla compile` takes and how many candidates
a second are described (bench_compiler_core).

Each round runs every program of both builds, one directly after the other, and begins with the other build each
time. A ratio is new over old within a round; printed are the geometric mean over the rounds and its 95 % interval
(bootstrap over rounds). Below 1 the new build is faster.

usage: compare_builds.py OLD/bin NEW/bin [--rounds N] [--seconds S] [--networks MODEL...] [--compile MODEL...]
"""
import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

RESAMPLES = 4000


def output_of(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode} of {' '.join(words)}\n{done.stderr[-2000:]}")
    return done.stdout


def processor_seconds(words):
    """User and system time of the command and its children."""
    before = os.times()
    output_of(words)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def layers(folder, options):
    """Processor time of the fastest run of each layer."""
    text = output_of([f"{folder}/bench_compiler_cpu", "--json", "--seconds", str(options.seconds)])
    rows = [json.loads(line) for line in text.splitlines()]
    return {row["name"]: row["us"]["ours"] for row in rows}


def networks(folder, options):
    """The fastest run of each network, by the clock: on a machine with other work these rows say little."""
    if not options.networks:
        return {}
    words = [f"{folder}/bench_compiler_network", "--json", "--threads", "1", "--no-fusion-too"]
    text = output_of([*words, "--seconds", str(options.seconds), *options.networks])
    rows = [json.loads(line) for line in text.splitlines()]
    return {row["model"]: row["threads_1"] * 1e3 for row in rows}


def compiles(folder, options):
    """Processor time of `vdla compile` for the device: the least of three."""
    with tempfile.TemporaryDirectory() as made:
        words = [f"{folder}/vdla", "compile", "-o", f"{made}/m.vdla"]
        return {f"vdla compile {os.path.basename(model)}": 1e6 * min(processor_seconds([*words, model]) for _ in range(3))
                for model in options.compile}


def candidates(folder, _):
    """Time of one candidate: scheduled, lowered and described."""
    text = output_of([f"{folder}/bench_compiler_core"])
    found = {name: re.search(rf"^{name}: (\d+)", text, re.M) for name in ("lowering", "template")}
    return {f"a candidate ({name})": 1e6 / int(match.group(1)) for name, match in found.items()}


# Programs that run, and whether their rows are code of the CPU, which share a geometric mean.
PROGRAMS = ((layers, True), (networks, True), (compiles, False), (candidates, False))


def mean_and_interval(logarithms):
    """Geometric mean over rounds, and the interval that 95 of 100 resamples of the rounds lie in."""
    draw = random.Random(1)
    means = sorted(sum(draw.choices(logarithms, k=len(logarithms))) / len(logarithms) for _ in range(RESAMPLES))
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
    return [math.exp(x) for x in (sum(logarithms) / len(logarithms), low, high)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=0.25, help="for each layer and network of each round")
    parser.add_argument("--networks", nargs="*", default=[], help="models, run on the CPU")
    parser.add_argument("--compile", nargs="*", default=[], help="models, compiled for variant paper")
    options = parser.parse_args()
    ratios, old_times, code = {}, {}, {}
    for number in range(options.rounds):
        for program, is_code in PROGRAMS:
            sides = (options.old, options.new) if number % 2 == 0 else (options.new, options.old)
            times = {side: program(side, options) for side in sides}
            for name, old in times[options.old].items():
                ratios.setdefault(name, []).append(math.log(times[options.new][name] / old))
                old_times[name] = min(old, old_times.get(name, math.inf))
                code[name] = is_code
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    print("| | old, us | new / old | 95 % |\n|---|--:|--:|--:|")
    for name, rounds in ratios.items():
        mean, low, high = mean_and_interval(rounds)
        print(f"| {name} | {old_times[name]:.0f} | {mean:.3f} | {low:.3f} to {high:.3f} |")
    together = [sum(column) / len(column) for column in zip(*(ratios[name] for name in ratios if code[name]))]
    mean, low, high = mean_and_interval(together)
    print(f"| geometric mean of the CPU's code | | {mean:.3f} | {low:.3f} to {high:.3f} |")


main()
