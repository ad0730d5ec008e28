#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation of the hardware description: list, build, run, report.

  rtl.py list                             every mutant: number, place, kind, before, after
  rtl.py build --out DIR --count N        a copy of the tree in DIR whose machines hold a sample of N mutants, and the tests of tests.txt
  rtl.py run --out DIR --log FILE         runs the tests against each mutant of that build; goes on where the log ends
  rtl.py report --out DIR --log FILE      tables by file and kind, and the mutants that survive
  rtl.py apply --out DIR --mutant N       a copy of the tree with one mutant in place, for proofs

The sample is uniform over the whole list; --seed gives another one.
"""
import argparse
import dataclasses
import hashlib
import json
import pathlib

import campaign
import mutants
import overlay

# Warnings stop the build of the generated modules' test; a mutant may deserve them.
EDITS = [("tests/isa/CMakeLists.txt", "--cc -Wall -f verilator.f",
          "--cc -Wno-fatal -f verilator.f")]


def files_of(root):
    """Sources of the machine. The wrapper around it, of plain Verilog, is wires, which proof axi looks at."""
    return [line for line in (root / "hw/files.f").read_text().split() if line.endswith(".sv")]


def sample(all_mutants, keys, count, seed):
    """Mutants with the smallest hash: uniform, and a change of the tree elsewhere leaves the choice as it is."""
    def rank(mutant):
        return hashlib.sha256(f"{seed}|{keys[mutant.number]}".encode()).digest()
    chosen = sorted(all_mutants, key=rank)[: count or len(all_mutants)]
    return sorted(chosen, key=lambda m: m.number)


def planted_files(root, chosen):
    changed = {}
    for file in {m.file for m in chosen}:
        changed[file] = mutants.plant((root / file).read_text(), [m for m in chosen if m.file == file])
    first = files_of(root)[0]
    changed[first] = mutants.PACKAGE + changed.get(first, (root / first).read_text())
    for file, text, replacement in EDITS:
        old = (root / file).read_text()
        if text not in old:
            raise SystemExit(f"{file} has no '{text}' any more; change EDITS in tools/mutation/rtl.py")
        changed[file] = old.replace(text, replacement)
    return changed


def selection(out):
    """Content of the copy in `out`: the mutants as they were numbered when it was made."""
    kept = json.loads((out / "sample.json").read_text())
    chosen = [mutants.Mutant(**row) for row in kept["mutants"]]
    return kept, chosen, {m.number: key for m, key in zip(chosen, kept["keys"])}


def build(args, root):
    out = pathlib.Path(args.out).resolve()
    everything, keys = mutants.list_mutants(root, files_of(root))
    chosen = sample(everything, keys, args.count, args.seed)
    if args.keys:
        wanted = set(json.loads(pathlib.Path(args.keys).read_text()))
        chosen = [m for m in everything if keys[m.number] in wanted]
    print(f"{len(everything)} mutants, {len(chosen)} of them planted, seed {args.seed}")
    overlay.copy_tree(root, out, planted_files(root, chosen))
    (out / "sample.json").write_text(json.dumps({"seed": args.seed, "of": len(everything), "keys": [keys[m.number] for m in chosen],
                                                 "mutants": [dataclasses.asdict(m) for m in chosen]}))
    targets = sorted({line.split()[1] for line in args.tests.read_text().splitlines() if line.split("#")[0].split()})
    overlay.build(out, targets, args.jobs)


def run(args, root):
    out = pathlib.Path(args.out).resolve()
    _, chosen, keys = selection(out)
    steps = campaign.read_steps(args.tests, out / "build")
    campaign.baseline(steps, out / "build")
    campaign.run_all(chosen, keys, steps, campaign.Log(args.log), out / "build", args.jobs, args.again)
    report(args, root)


def short(text, length=70):
    text = " ".join(text.split())
    return text if len(text) <= length else text[:length - 3] + "..."


def table(title, rows):
    print(f"| {title} | mutants | killed | equivalent | survive | score |\n|---|---|---|---|---|---|")
    for name, (total, killed, equivalent) in [*sorted(rows.items()), ("all", [sum(x) for x in zip(*rows.values())])]:
        counted = total - equivalent
        print(f"| {name} | {total} | {killed} | {equivalent} | {counted - killed} | {100 * killed / max(1, counted):.1f} % |")


def report(args, root):
    kept, chosen, keys = selection(pathlib.Path(args.out).resolve())
    log = campaign.Log(args.log).done
    excused = json.loads(args.equivalent.read_text()) if args.equivalent.exists() else {}
    by_file, by_kind, alive = {}, {}, []
    for m in chosen:
        row = log.get(keys[m.number])
        if row is None:
            continue
        killed, equivalent = bool(row["killed_by"]), keys[m.number] in excused
        if killed and equivalent:
            print(f"{keys[m.number]} is killed by {row['killed_by']} and listed as equivalent")
        for rows, name in ((by_file, m.file), (by_kind, m.kind)):
            cell = rows.setdefault(name, [0, 0, 0])
            cell[0] += 1
            cell[1] += killed
            cell[2] += equivalent and not killed
        if not killed and not equivalent:
            alive.append(m)
    print(f"seed {kept['seed']}, {len(chosen)} of {kept['of']} mutants\n")
    table("file", by_file)
    print()
    table("kind", by_kind)
    print()
    for m in alive:
        print(f"{m.number:5} {m.file}:{m.line}: {m.kind}: {short(m.before)}  ->  {short(m.after) or 'nothing'}")


def apply(args, root):
    everything, _ = mutants.list_mutants(root, files_of(root))
    mutant = everything[args.mutant - 1]
    overlay.copy_tree(root, pathlib.Path(args.out).resolve(),
                      {mutant.file: mutants.apply((root / mutant.file).read_text(), mutant)})
    print(f"{mutant.file}:{mutant.line}: {mutant.kind}: {short(mutant.before)} -> {short(mutant.after)}")


def list_all(args, root):
    for m in mutants.list_mutants(root, files_of(root))[0]:
        print(f"{m.number:5} {m.file}:{m.line}: {m.kind}: {short(m.before)}  ->  {short(m.after) or 'nothing'}")


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["list", "build", "run", "report", "apply"])
    parser.add_argument("--root", type=pathlib.Path, default=overlay.find_root(), help="the tree that is mutated")
    parser.add_argument("--out", help="folder of the copy")
    parser.add_argument("--log", help="file of results, one JSON object per line")
    parser.add_argument("--count", type=int, default=600, help="mutants in the sample; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keys", help="JSON list of keys to plant instead of a sample")
    parser.add_argument("--mutant", type=int, help="number in the list")
    parser.add_argument("--tests", type=pathlib.Path, default=here / "tests.txt")
    parser.add_argument("--equivalent", type=pathlib.Path, default=here / "equivalent.json", help="keys of mutants that change nothing, with the reason")
    parser.add_argument("--again", action="store_true", help="run the survivors of the log again")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    {"list": list_all, "build": build, "run": run, "report": report, "apply": apply}[args.command](args, args.root.resolve())


if __name__ == "__main__":
    main()
