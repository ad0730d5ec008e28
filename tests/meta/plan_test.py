#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables of docs/verification.md that name tests with the tests that ctest knows. Each name of a column
`tests` or `in test` stands for a test of this tree, be it one that this build leaves out; each test has its row in the
plan. Each pass of each table has a test by text: a RUN line that calls `vdla opt --passes` names it.

usage: plan_test.py SOURCE_DIR BUILD_DIR VDLA
"""
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

PAGE = "docs/verification.md"
PLAN = ["claim", "tests"]


def tables(text):
    """(heads, rows) of each table: lists of cells."""
    for block in re.findall(r"^\|.*(?:\n\|.*)+", text, re.MULTILINE):
        heads, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        yield heads, rows


def named_tests(heads, row):
    """Names in the column of tests, and the prose behind its semicolon."""
    names, _, prose = row[heads.index("tests" if "tests" in heads else "in test")].partition(";")
    return re.findall(r"`([^`]+)`", names), prose


def names_of(tests):
    """Names under which the page may have the tests: of a program, of a test, of a case for any parameter."""
    names = set(tests)
    for test in tests:
        program, _, case = test.partition(".")
        names |= {program, re.sub(r"^\w+/|/\w+$", "", case)}
    return names


def stands_for(name, names):
    return name in names or ("*" in name and bool(fnmatch.filter(names, name)))


def known_tests(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "-C", "Campaign", "--show-only=json-v1"], check=True,
                            capture_output=True, text=True).stdout
    return [test["name"] for test in json.loads(listed)["tests"]]


def tests_of_sources(source):
    """Tests that a build may leave out: programs as CMake names them, cases as C++ does."""
    lists = [path.read_text() for folder in ("tests", "bench", "examples") for path in (source / folder).rglob("CMakeLists.txt")]
    cases = [path.read_text() for path in (source / "tests").rglob("*.cpp")]
    programs = re.findall(r"(?:vdla_test\(|vdla_text_tests\(|NAME\s+)([\w.]+)", "\n".join(lists))
    return programs + [f"source.{suite}.{name}" for suite, name in
                       re.findall(r"^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", "\n".join(cases), re.MULTILINE)]


def faults_of_names(page, tests):
    counted, existing = 0, names_of(tests)
    for heads, rows in tables(page):
        if not {"tests", "in test"} & set(heads):
            continue
        for row in rows:
            names, prose = named_tests(heads, row)
            counted += len(names)
            if not names and not prose:
                yield f"{PAGE}: the row '{row[0]}' names no test"
            for name in names:
                if not stands_for(name, existing):
                    yield f"{PAGE}: '{name}' in the row '{row[0]}' stands for no test"
    if counted < 200:
        yield f"{PAGE}: {counted} names of tests were read, needs the 200 and more that the page has"


def faults_of_plan(page, known):
    plans = [rows for heads, rows in tables(page) if heads == PLAN]
    if len(plans) != 1:
        yield f"{PAGE}: {len(plans)} tables have the heads {PLAN}, needs one: the plan"
        return
    names = [name for row in plans[0] for name in named_tests(PLAN, row)[0]]
    for program in sorted({test.split(".")[0] for test in known}):
        if not any(stands_for(name, [program]) for name in names):
            yield f"{PAGE}: no row of the plan has the test '{program}'; add it to the row of the claim that it holds"


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
    page, known = (source / PAGE).read_text(), known_tests(build)
    faults = [*faults_of_names(page, known + tests_of_sources(source)), *faults_of_plan(page, known), *faults_of_texts(source, vdla)]
    print("\n".join(faults) or "plan: each test has its row, each name its test, each pass its text")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
