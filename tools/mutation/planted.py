#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants the faults of faults.txt, one at a time, and counts the random programs until each is found.

  planted.py check                       every text of the list is in the tree exactly once
  planted.py build --out DIR             a copy of the tree in DIR that holds all faults, each switched on by the environment
  planted.py run --out DIR --log FILE    random programs against each fault in each engine; goes on where the log ends
  planted.py report --log FILE           the table
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

import mutants
import overlay

ENGINES = ("functional", "systemc", "rtl")
# Reads the engine that is at work and the fault that is on in it: VDLA_PLANTED is ENGINE:NUMBER.
HEADER = """#pragma once
#include <cstdlib>
#include <cstring>
namespace vdla::planted {
inline int working = 0;  // engine: 1 functional, 2 systemc
inline const char* const chosen = std::getenv("VDLA_PLANTED");
inline const int engine = chosen == nullptr ? 0 : std::strncmp(chosen, "functional:", 11) == 0 ? 1 : 2;
inline const int number = chosen == nullptr ? 0 : std::atoi(std::strchr(chosen, ':') + 1);
inline bool on(int n) { return n == number && working == engine; }
struct Scope {
  explicit Scope(int e) : before(working) { working = e; }
  ~Scope() { working = before; }
  int before;
};
}  // namespace vdla::planted
"""
SCOPES = [
    ("sim/functional/engine.cpp", "void write_register(std::uint32_t offset, std::uint32_t value) override {", 1),
    ("sim/functional/engine.cpp", "Stop FunctionalEngine::run(std::uint64_t cycle_limit) {", 1),
    ("sim/cycle/engine.cpp", "void write_register(std::uint32_t offset, std::uint32_t value) override {", 2),
    ("sim/cycle/engine.cpp", "Stop SystemcEngine::run(std::uint64_t cycle_limit) {", 2),
]


@dataclasses.dataclass
class Edit:
    file: str
    text: str
    after: str
    statement: bool


@dataclasses.dataclass
class Fault:
    number: int
    name: str
    what: str
    engines: dict = dataclasses.field(default_factory=dict)  # name -> list of Edit, or the reason why there is none


def read_faults(path):
    faults, edits, mode = [], None, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "fault":
            name, _, what = rest.partition(": ")
            faults.append(Fault(len(faults) + 1, name, what))
        elif word in ENGINES:
            if rest == "same":
                faults[-1].engines[word] = faults[-1].engines["functional"]
            elif rest.startswith("none: "):
                faults[-1].engines[word] = rest[6:]
            else:
                file, edits = rest, []
                faults[-1].engines[word] = edits
        elif word in ("-", "-;"):
            edits.append(Edit(file, rest, "", word == "-;"))
            mode = "text"
        elif word in ("+", "+;"):
            edits[-1].after, mode = rest, "after"
        elif line[0] == " " and mode == "text":
            edits[-1].text += "\n" + line
        else:
            raise SystemExit(f"{path}:{number}: '{line}' is neither fault, engine, text nor replacement")
    for fault in faults:
        if set(fault.engines) != set(ENGINES):
            raise SystemExit(f"{path}: fault {fault.name} needs a line for each of {', '.join(ENGINES)}")
    return faults


def place(edit, source):
    """Begin and end of what the edit replaces, or the reason why it has none."""
    before, mark, rest = edit.text.partition("@{")
    inner, _, behind = rest.partition("}@")
    whole = before + inner + behind
    if source.count(whole) != 1:
        return f"{edit.file} has '{whole}' {source.count(whole)} times, needs 1"
    begin = source.index(whole) + (len(before) if mark else 0)
    return begin, begin + len(inner if mark else whole)


def all_edits(faults):
    """Each edit once: (number, Edit). The functional core's serve two engines."""
    for fault in faults:
        seen = []
        for edits in fault.engines.values():
            if isinstance(edits, list) and edits not in seen:
                seen.append(edits)
                yield from ((fault.number, edit) for edit in edits)


def check(root, faults):
    problems = []
    for _, edit in all_edits(faults):
        found = place(edit, (root / edit.file).read_text())
        if isinstance(found, str):
            problems.append(found)
    for file, text, _ in SCOPES:
        if (root / file).read_text().count(text) != 1:
            problems.append(f"{file} has '{text}' not exactly once")
    return problems


def choose_cpp(m, body):
    if m.kind == "statement":
        return f"if (vdla::planted::on({m.number})) {{ {m.after} }} else {{ {body} }}"
    return f"(vdla::planted::on({m.number}) ? ({m.after}) : ({body}))"


def choose_sv(m, body):
    if m.kind == "statement":
        return f"begin if ({mutants.SELECTED} == 32'd{m.number}) begin {m.after} end else begin {body} end end"
    return mutants.choose(m, body)


def changed_files(root, faults):
    spans = {}
    for number, edit in all_edits(faults):
        begin, end = place(edit, (root / edit.file).read_text())
        kind = "statement" if edit.statement else "expression"
        spans.setdefault(edit.file, []).append(mutants.Mutant(edit.file, 0, kind, begin, end, edit.text, edit.after, number))
    changed = {"sim/planted.h": HEADER}
    for file, planted in spans.items():
        rtl = file.endswith(".sv")
        text = mutants.plant((root / file).read_text(), planted, choose_sv if rtl else choose_cpp)
        changed[file] = text if rtl else '#include "sim/planted.h"\n#include <algorithm>\n' + text
    for file, text, engine in SCOPES:
        before = changed.get(file) or '#include "sim/planted.h"\n' + (root / file).read_text()
        changed[file] = before.replace(text, text + f" const vdla::planted::Scope planted_scope({engine});")
    package = "isa/generated/vdla_isa_pkg.sv"
    changed[package] = mutants.PACKAGE + (root / package).read_text()
    return changed


def build(args, root, faults):
    out = pathlib.Path(args.out).resolve()
    overlay.copy_tree(root, out, changed_files(root, faults))
    overlay.build(out, ["vdla", "vdla_rtl_models"], args.jobs)


def campaign(args, out, engine, number):
    environment = dict(os.environ)
    if number:
        environment.update({"VDLA_MUTANT": str(number)} if engine == "rtl" else {"VDLA_PLANTED": f"{engine}:{number}"})
    command = [str(out / "build/bin/vdla"), "fuzz", "--seed", str(args.seed), "--count", str(args.count), "--variant", args.variant,
               "--engines", args.engines, "--json"] + (["--errors"] if args.errors else [])
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, cwd=out / "build")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"crash": (done.stderr or done.stdout)[-300:], "status": done.returncode}


def run(args, root, faults):
    out, log = pathlib.Path(args.out).resolve(), pathlib.Path(args.log)
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    known = {(r["fault"], r["engine"]) for r in rows if r["found"] or not args.again}
    todo = [(f, e) for f in faults for e in args.only.split(",") if isinstance(f.engines[e], list) and (f.name, e) not in known]
    clean = campaign(args, out, "rtl", 0) if todo and args.clean else {}
    if clean.get("failure") or clean.get("crash"):
        raise SystemExit(f"without a fault the campaign fails: {clean}")
    began = time.time()
    for i, (fault, engine) in enumerate(todo):
        start = time.time()
        result = campaign(args, out, engine, fault.number)
        failure = result.get("failure") or {}
        row = {"fault": fault.name, "engine": engine, "variant": args.variant, "errors": args.errors, "seed": args.seed, "found": bool(failure) or "crash" in result,
               "programs": result.get("programs"), "at": failure.get("seed"), "difference": failure.get("difference", result.get("crash", ""))[:400],
               "seconds": round(time.time() - start, 2)}
        with log.open("a") as file:
            file.write(json.dumps(row) + "\n")
        left = (time.time() - began) / (i + 1) * (len(todo) - i - 1)
        print(f"{i + 1}/{len(todo)} {fault.name} in {engine}: " + (f"program {row['programs']}" if row["found"] else "NOT FOUND") +
              f", {left / 60:.0f} min left", flush=True)


def report(args, root, faults):
    rows = [json.loads(line) for line in pathlib.Path(args.log).read_text().splitlines()]
    best = {}
    for row in rows:
        known = best.get((row["fault"], row["engine"]))
        if known is None or row["found"] or (not known["found"] and row["programs"] > known["programs"]):
            best[row["fault"], row["engine"]] = row
    print("| fault | functional | SystemC | RTL |\n|---|---|---|---|")
    for fault in faults:
        cells = []
        for engine in ENGINES:
            row = best.get((fault.name, engine))
            if isinstance(fault.engines[engine], str):
                cells.append("no: " + fault.engines[engine])
            elif row is None:
                cells.append("not run")
            else:
                kind = ", with errors" if row.get("errors") else ""
                cells.append(f"{row['programs']} (seed {row['at']}{kind})" if row["found"] else f"not in {row['programs']}")
        print(f"| {fault.what} | " + " | ".join(cells) + " |")


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "build", "run", "report"])
    parser.add_argument("--root", type=pathlib.Path, default=overlay.find_root(), help="the tree in which faults are planted")
    parser.add_argument("--faults", type=pathlib.Path, default=here / "faults.txt")
    parser.add_argument("--out", help="folder of the copy")
    parser.add_argument("--log", help="file of results, one JSON object per line")
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--count", type=int, default=1000, help="programs at most")
    parser.add_argument("--variant", default="tiny")
    parser.add_argument("--engines", default="functional,systemc,rtl")
    parser.add_argument("--only", default=",".join(ENGINES), help="engines in which faults are planted")
    parser.add_argument("--errors", action="store_true", help="programs with one error, each followed by a good one")
    parser.add_argument("--again", action="store_true", help="run again what was not found")
    parser.add_argument("--clean", action="store_true", help="first make sure that nothing is found without a fault")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    root = args.root.resolve()
    faults = read_faults(args.faults)
    problems = check(root, faults)
    if problems:
        print("\n".join(problems))
        sys.exit(1)
    if args.command == "check":
        print(f"{len(faults)} faults, {sum(1 for _ in all_edits(faults))} texts, all in place")
        return
    {"build": build, "run": run, "report": report}[args.command](args, root, faults)


if __name__ == "__main__":
    main()
