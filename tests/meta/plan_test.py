#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the plan of docs/verification.md with the tests that ctest knows: each test has its row, and each name of a
row stands for a test of this tree, be it one that this build leaves out. Each pass of each table has a test by text: a
RUN line that calls `vdla opt --passes` or `--list-passes` names it.

usage: plan_test.py SOURCE_DIR BUILD_DIR VDLA
"""
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

PLAN = "docs/verification.md"


def rows(text):
    """(claim, names) of each row of the section Plan."""
    section = text.split("\n## Plan\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = line.strip("|").split(" | ")
        if line.startswith("| ") and "`" in cells[-1]:
            yield cells[0].strip(), re.findall(r"`([^`]+)`", cells[-1])


def stands_for(name, test):
    return fnmatch.fnmatchcase(test.split(".")[0], name) or fnmatch.fnmatchcase(test, name)


def known_tests(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "-C", "Campaign", "--show-only=json-v1"], check=True,
                            capture_output=True, text=True).stdout
    return [test["name"] for test in json.loads(listed)["tests"]]


def named_in_sources(source):
    """Tests that a build may leave out, as CMake names them."""
    lists = "\n".join(path.read_text() for path in (source / "tests").rglob("CMakeLists.txt"))
    lists += "\n".join(path.read_text() for path in (source / "bench").rglob("CMakeLists.txt"))
    lists += (source / "examples/CMakeLists.txt").read_text()
    return re.findall(r"(?:vdla_test\(|vdla_text_tests\(|NAME\s+)([\w.]+)", lists)


def faults_of_plan(source, build):
    known, plan = known_tests(build), dict(rows((source / PLAN).read_text()))
    names = [name for row in plan.values() for name in row]
    for test in sorted({test.split(".")[0] for test in known}):
        if not any(stands_for(name, test) for name in names):
            yield f"{PLAN}: no row of the plan has the test '{test}'; add it to the row of the claim that it holds"
    everywhere = known + named_in_sources(source)
    for claim, row in plan.items():
        for name in row:
            if not any(stands_for(name, test) for test in everywhere):
                yield f"{PLAN}: '{name}' in the row '{claim}' stands for no test"
    if len(plan) < 20:
        yield f"{PLAN}: {len(plan)} rows were read, needs the 20 and more that the plan has"


def faults_of_texts(source, vdla):
    listed = subprocess.run([vdla, "opt", "--list-passes", "--json"], check=True, capture_output=True, text=True).stdout
    passes = json.loads(listed)
    runs = "\n".join(line for path in (source / "tests").rglob("text/*") if path.is_file()
                     for line in path.read_text().splitlines() if "RUN:" in line)
    called = {name for names in re.findall(r"--passes[= ]([\w,-]+)", runs) for name in names.split(",")}
    for row in passes:
        if row["name"] not in called:
            yield f"pass '{row['name']}' has no test by text: no RUN line below tests calls vdla opt --passes={row['name']}"
    if len(passes) < 25:
        yield f"vdla opt --list-passes --json names {len(passes)} passes, needs the 25 and more that there are"


def main():
    source, build, vdla = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    faults = [*faults_of_plan(source, build), *faults_of_texts(source, vdla)]
    print("\n".join(faults) or "plan: each test has its row, each pass its text")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
