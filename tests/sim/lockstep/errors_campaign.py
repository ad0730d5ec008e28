#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs with a fault on all kinds of arrays, with and without address randomisation, a process for each share.

usage: errors_campaign.py PROGRAM ROOT --count N [--first SEED] [--share N] [--rtl FOLDER] [--log FILE]

PROGRAM is errors_campaign of a build tree: of the sanitizer tree for findings in memory. N programs in all go round the
geometries in shares; a log holds a line for each share and is gone on with. Prints a table of docs/verification.md;
status 1 for a finding.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

# Named ones, and tiny with another array: batch, block_in, block_out.
NAMED = ["tiny", "paper"]
ARRAYS = [(1, 8, 4), (1, 4, 8), (2, 4, 4), (4, 4, 4)]
RTL = {"tiny", "paper"}


def variants(root, folder):
    """Name and what names it to the program."""
    tiny = json.loads((root / "isa/variants/tiny.json").read_text())
    result = [(name, name) for name in NAMED]
    for batch, block_in, block_out in ARRAYS:
        name = f"{batch}x{block_in}x{block_out}"
        file = folder / f"{name}.json"
        file.write_text(json.dumps(tiny | {"name": name, "geometry": tiny["geometry"] | {"batch": batch, "block_in": block_in, "block_out": block_out}}))
        result.append((name, str(file)))
    return result


def run_share(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stdout, seconds


def table(rows):
    total = {}
    for row in rows:
        key = row["variant"], row["engines"], row["randomised"]
        sums = total.setdefault(key, [0, 0.0, 0])
        sums[0] += row["programs"]
        sums[1] += row["seconds"]
        sums[2] += row["finding"]
    lines = ["| array | engines | addresses | programs | processor minutes | findings |", "| --- | --- | --- | --: | --: | --: |"]
    for (variant, engines, randomised), (programs, seconds, findings) in sorted(total.items()):
        lines.append(f"| `{variant}` | {engines} | {'random' if randomised else 'fixed'} | {programs} | {seconds / 60:.1f} | {findings} |")
    lines.append(f"| all | | | {sum(t[0] for t in total.values())} | {sum(t[1] for t in total.values()) / 60:.1f} | {sum(t[2] for t in total.values())} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--share", type=int, default=250)
    parser.add_argument("--rtl", default="")
    parser.add_argument("--log", type=pathlib.Path)
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.log.read_text().splitlines()] if args.log and args.log.exists() else []
    fixed = [shutil.which("setarch"), "-R"] if shutil.which("setarch") else None
    with tempfile.TemporaryDirectory() as folder:
        kinds = [(variant, randomised) for variant in variants(args.root, pathlib.Path(folder)) for randomised in (True, False) if randomised or fixed]
        done = sum(row["programs"] for row in rows)
        while done < args.count:
            (name, variant), randomised = kinds[len(rows) % len(kinds)]
            # Every geometry sees the same seeds in turn, half of them with addresses that are random: no program runs
            # twice.
            seed = args.first + (len(rows) // len(kinds) * 2 + (not randomised)) * args.share
            count = min(args.share, args.count - done)
            command = ([] if randomised else fixed) + [str(args.program), variant, str(seed), str(count)]
            with_rtl = args.rtl and name in RTL
            status, output, seconds = run_share(command + ([args.rtl] if with_rtl else []))
            row = {"variant": name, "engines": "functional, SystemC" + (", RTL" if with_rtl else ""), "randomised": randomised, "seed": seed,
                   "programs": count, "seconds": seconds, "finding": int(status != 0)}
            rows.append(row)
            done += count
            if status != 0:
                print(f"{' '.join(command)}: status {status}\n{output[-4000:]}", file=sys.stderr)
            if args.log:
                with args.log.open("a") as log:
                    log.write(json.dumps(row) + "\n")
    print(table(rows))
    return 1 if any(row["finding"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
