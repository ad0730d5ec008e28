#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the proofs of hw/formal: one TOML file each (keys: see PROOF_KEYS). Properties sit in hw/checks and are included
by the RTL under FORMAL.

Exit status: 0 when every run holds, 1 when one fails, 2 when a tool or a name is at fault."""
import argparse
import concurrent.futures
import dataclasses
import importlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import threading
import tomllib

import counterexample
import equivalence

PROOF_KEYS = {
    "what": "one sentence: what is proven",
    "top": "module that is proven, or the file of a lemma",
    "sources": "its files, or a list of them (.f), from the root of the source tree; vdla_isa_pkg and vdla_pkg come first by themselves",
    "method": "induction (holds for ever), bounded (holds for `depth` cycles from reset), equivalence (of one instant, complete), lemma (a file for z3)",
    "depth": "cycles of the induction step and of its base, or of the bounded search",
    "fault_depth": "cycles searched for a counterexample from reset when the induction fails, so that the trace is one that can happen",
    "cover": "cycles within which every cover property must be reached, which shows that the assumptions allow something; 0: has none",
    "cover_runs": "how many of the runs are covered (default 1)",
    "abstract": "instances that are cut out: their outputs may do anything; NAME, of top, or MODULE/NAME",
    "runs": "parameters of top, one string 'Name=value ...' for each run",
    "defines": "macros",
    "stages": "properties proven one after the other, each with those before it assumed and those after it left out; "
              "all others of top are assumed too, for they are another proof's",
    "generate": "module of this folder whose harness() writes the top from isa.json",
    "note": "what the method leaves open",
}


@dataclasses.dataclass
class Proof:
    name: str
    what: str
    top: str
    method: str
    sources: list
    depth: int = 2
    fault_depth: int = 0
    cover: int = 0
    cover_runs: int = 1
    abstract: list = dataclasses.field(default_factory=list)
    runs: list = dataclasses.field(default_factory=lambda: [""])
    defines: list = dataclasses.field(default_factory=list)
    stages: list = dataclasses.field(default_factory=list)
    generate: str = ""
    note: str = ""


HERE = pathlib.Path(__file__).resolve().parent


class ToolError(Exception):
    pass


class Spent(threading.local):
    seconds = 0.0  # processor time of the tools that this thread ran


spent = Spent()


def load(path):
    values = tomllib.loads(path.read_text())
    unknown = set(values) - set(PROOF_KEYS)
    if unknown:
        raise ToolError(f"{path.name}: unknown key '{sorted(unknown)[0]}', needs one of {', '.join(PROOF_KEYS)}")
    return Proof(name=path.stem, **values)


def parameters_of(run):
    return dict(word.split("=") for word in run.split())


def command(words, log, limit, cwd=None):
    """Runs a tool for at most `limit` seconds of processor time, in folder `cwd`; its output goes into the log."""
    def limit_time():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    with open(log, "a") as out:
        out.write("$ " + " ".join(words) + "\n")
        out.flush()
        begin = out.tell()
        try:
            tool = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, preexec_fn=limit_time, cwd=cwd)
        except FileNotFoundError:
            raise ToolError(f"'{words[0]}' is missing: install the packages yosys and z3")
        _, status, usage = os.wait4(tool.pid, 0)
        tool.returncode = os.waitstatus_to_exitcode(status)
    spent.seconds += usage.ru_utime + usage.ru_stime
    text = log.read_bytes()[begin:].decode(errors="replace")
    if tool.returncode != 0 and (usage.ru_utime >= limit - 1 or "BrokenPipeError" in text):
        return None, f"no answer within {limit} s"
    return tool.returncode, text


def yosys(script, source, folder):
    """Runs yosys in the folder, where `source` and `checks` lead to the tree and the properties: its scripts take no
    path with spaces. Status and text."""
    for name, target in (("source", source), ("checks", HERE.parent / "checks")):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
    return command(["yosys", "-q", "-p", script], folder / "log.txt", 120, folder)


def elaborate(proof, run, source, folder, stage=None):
    """RTL and properties of one run as SMT-LIB; of a proof in stages with one property asserted."""
    defines = "".join(f"-D{name} " for name in proof.defines)
    packages = ["isa/generated/vdla_isa_pkg.sv", "hw/rtl/common/vdla_pkg.sv"]
    sources = [line for f in proof.sources for line in ((HERE.parents[1] / f).read_text().split() if f.endswith(".f") else [f])]
    files = " ".join(f"source/{f}" for f in packages + [f for f in sources if f not in packages])
    if proof.generate:
        harness = folder / f"{proof.top}.sv"
        isa = json.loads((source / "isa/generated/isa.json").read_text())
        harness.write_text(importlib.import_module(proof.generate).harness(isa))
        files += f" {harness.name}"
    chparam = "".join(f" -chparam {name} {value}" for name, value in parameters_of(run).items())
    # The name of a module with parameters ends in its name in the source.
    cut = "".join(f"cutpoint *{cell}; " if "/" in cell else f"cutpoint {proof.top}/{cell}; " for cell in proof.abstract)
    smt = folder / f"design{'' if stage is None else stage}.smt2"
    roles = ""
    if stage is not None:
        later = "".join(f"chformal -assert -remove {proof.top}/{name}; " for name in proof.stages[stage + 1:])
        roles = f"{later}chformal -assert -assert2assume {proof.top}/* {proof.top}/{proof.stages[stage]} %d; select -assert-count 1 t:$assert; "
    script = (f"read_verilog -sv -formal {defines} -Isource/hw/rtl/common -Ichecks {files}; "
              f"hierarchy -check -top {proof.top}{chparam}; rename -top {proof.top}; {cut}prep -flatten -top {proof.top}; "
              f"{roles}setundef -undriven -anyseq; dffunmap; write_smt2 -wires {smt.name}")
    code, text = yosys(script, source, folder)
    if code != 0:
        raise ToolError(f"{proof.name}: yosys cannot read the sources: {text.strip()[-600:]}")
    return smt


def check(proof, mode, depth, smt, folder, timeout):
    """One call of yosys-smtbmc: True, or why not."""
    vcd = folder / f"{'step' if '-i' in mode else 'base'}.vcd"
    words = ["yosys-smtbmc", "-s", "z3", "--unroll", *(["--noincr"] if "-i" in mode else []), *mode, "-t", str(depth), "--dump-vcd", str(vcd), str(smt)]
    code, text = command(words, folder / "log.txt", timeout)
    if code == 0:
        return True, ""
    if code is None:
        return False, text
    names = re.findall(r"(?:Assert failed in|Unreached cover statement at) ([^\n]*)", text)
    if "-c" in mode:
        return False, "unreachable: " + ", ".join(names)
    if "Assumptions are unsatisfiable" in text:
        return False, "the assumptions contradict each other"
    if "Status:" not in text and "rror" not in text:  # z3 ran out of time and said nothing
        return False, f"no answer within {timeout} s"
    if not names:
        raise ToolError(f"{proof.name}: yosys-smtbmc failed, see {folder / 'log.txt'}")
    return False, (", ".join(dict.fromkeys(names)), vcd)


def search(proof, smt, folder, options, covers):
    """Looks for traces that break the properties, and (covers) for those that reach the cover properties: what the row
    says of it."""
    steps = [("", [], proof.depth)]
    if proof.method == "induction":
        steps.append(("not inductive: ", ["-i"], proof.depth))
    if proof.cover and covers:
        steps.append(("", ["-c"], proof.cover))
    for prefix, mode, depth in steps:
        holds, why = check(proof, mode, depth, smt, folder, options.timeout)
        if not holds and "-i" in mode and proof.fault_depth > depth:
            found, real = check(proof, [], proof.fault_depth, smt, folder, options.search)
            if not found and isinstance(real, tuple):
                prefix, why = "", real
        if not holds:
            return {"result": "FAIL", "why": prefix + why[0], "trace": str(why[1])} if isinstance(why, tuple) else {"result": "FAIL", "why": why}
    return {"result": "PASS"}


def prove(proof, number, run, source, out, options):
    """One run of one proof: a row of the table."""
    folder = out / f"{proof.name}.{number}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log.txt").write_text("")
    spent.seconds = 0.0
    row = {"proof": proof.name, "run": run, "method": proof.method, "depth": proof.depth, "result": "PASS", "why": "", "trace": ""}
    if proof.method == "equivalence":
        found = equivalence.prove(proof, parameters_of(run), source, folder, yosys, command, options.timeout)
        if found:
            row.update(result="FAIL", why=found)
        row["seconds"] = round(spent.seconds, 1)
        return row
    if proof.method == "lemma":
        _, answer = command(["z3", str(HERE / proof.top)], folder / "log.txt", options.timeout)
        if answer.strip() != "unsat":
            row.update(result="FAIL", why="z3: " + answer.strip()[:200])
        row["seconds"] = round(spent.seconds, 1)
        return row
    for stage in range(len(proof.stages)) if proof.stages else [None]:
        smt = elaborate(proof, run, source, folder, stage)
        row.update(search(proof, smt, folder, options, covers=not stage and number < proof.cover_runs and not options.no_cover))
        if row["result"] != "PASS":
            break
    row["seconds"] = round(spent.seconds, 1)
    return row


def print_row(row, source):
    depth = {"induction": f"k={row['depth']}", "bounded": f"{row['depth']} cycles"}.get(row["method"], "")
    print(f"{row['result']}  {row['proof']:<14} {row['method']:<11} {depth:<10} {row['seconds']:6.1f} s  {row['run']}", flush=True)
    if row["why"]:
        print(f"      {row['why']}")
    if row["trace"]:
        print(f"      {row['trace']}")
        print(counterexample.describe(pathlib.Path(row["trace"]), source / "isa/generated/isa.json"), flush=True)


def main():
    parser = argparse.ArgumentParser(
        prog="prove.sh", description="Proves properties of the RTL with yosys and z3. Without names: all proofs.",
        epilog="Example: prove.sh fifo dma_request --source /path/to/a/changed/tree")
    parser.add_argument("names", nargs="*", metavar="NAME", help="proofs, see --list")
    parser.add_argument("--source", type=pathlib.Path, default=HERE.parents[1],
                        help="root of the tree whose hw/rtl and isa/generated are proven (default: this one); proofs and properties are of this tree")
    parser.add_argument("--out", type=pathlib.Path, help="folder for logs and traces (default: formal_out in the working folder)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="proofs at once")
    parser.add_argument("--runs", type=int, default=0, help="only the first N runs of each proof")
    parser.add_argument("--timeout", type=int, default=600, help="seconds of processor time for each call of a tool")
    parser.add_argument("--search", type=int, default=300,
                        help="seconds of processor time for the search, after an induction failed, for a trace from reset; the induction's own trace else")
    parser.add_argument("--no-cover", action="store_true", help="leave out the cover properties")
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("--json", action="store_true", help="one JSON list instead of the table")
    options = parser.parse_args()
    try:
        known = {path.stem: load(path) for path in sorted(HERE.glob("*.toml"))}
        wrong = [name for name in options.names if name not in known]
        if wrong:
            raise ToolError(f"no proof '{wrong[0]}', needs one of {', '.join(known)}")
        proofs = [known[name] for name in options.names or known]
        if options.list:
            for proof in proofs:
                print(f"{proof.name:<14} {proof.method:<11} {len(proof.runs):3} runs  {proof.what}")
            return 0
        source = options.source.resolve()
        if not (source / "hw/rtl").is_dir():
            raise ToolError(f"--source {source}: has no hw/rtl, needs the root of a source tree")
        out = (options.out or pathlib.Path("formal_out")).resolve()
        jobs = [(proof, number, run) for proof in proofs for number, run in enumerate(proof.runs)
                if not options.runs or number < options.runs]
        rows = []
        with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
            pending = [pool.submit(prove, *job, source, out, options) for job in jobs]
            for done in concurrent.futures.as_completed(pending):
                rows.append(done.result())
                if not options.json:
                    print_row(rows[-1], source)
    except ToolError as error:
        print(f"prove.sh: {error}", file=sys.stderr)
        return 2
    failed = [row for row in rows if row["result"] != "PASS"]
    if options.json:
        print(json.dumps(sorted(rows, key=lambda row: (row["proof"], row["run"])), indent=1))
    else:
        print(f"{len(rows) - len(failed)} of {len(rows)} runs hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
