#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tests of changed files, for scripts/check.sh. Tests stand under tests/ at the path of what they test;
where a folder has none, those of the folder above count.

usage: tests_of.py ROOT programs|names < PATHS
  programs: targets to build, one a line      names: prefixes of names of ctest, one a line
"""
import pathlib
import re
import sys

# Paths whose tests stand elsewhere.
ELSEWHERE = {
    ".ci": "tests/meta",
    "cmake": "tests/meta",
    "scripts": "tests/meta",
    "tools/lint": "tests/meta",
}
PROGRAM = re.compile(r"^\s*vdla_test\(\s*(\w+)([^)]*)\)", re.M)
TEXT = re.compile(r"^\s*vdla_text_tests\(([\w.]+)", re.M)
OTHER = re.compile(r"^\s*(?:add_test\(NAME|vdla_sanitizer_test\()\s*([\w.]+)", re.M)


def lists_of(root, path):
    """Returns the nearest CMakeLists.txt with tests of this path; none where no folder above it has tests."""
    folder = pathlib.PurePosixPath(path).parent
    for place, tests in ELSEWHERE.items():
        if folder.is_relative_to(place):
            folder = pathlib.PurePosixPath(tests)
    if folder.parts[:1] != ("tests",):
        folder = "tests" / folder
    while len(folder.parts) > 1:
        lists = root / folder / "CMakeLists.txt"
        if lists.exists() and any(kind.search(lists.read_text()) for kind in (PROGRAM, TEXT, OTHER)):
            return lists
        folder = folder.parent
    return None


def words_of(text):
    return set(re.split(r"[^a-z0-9]+", text)) - {"", "cpp", "h", "test", "vdla"}


def programs_of(text, paths):
    """Returns the programs of the inner loop in a CMakeLists.txt: those whose names or sources have a word of the
    folder or the first word of the file of one of these paths, or else all."""
    quick = {name: words_of(name + rest.split("USES")[0]) for name, rest in PROGRAM.findall(text)
             if not re.search(r"LABELS\s+long", rest)}
    words = set().union(*(words_of(path.parent.name) | words_of(path.stem.split("_")[0]) for path in paths))
    return {name for name in quick if quick[name] & words} or set(quick)


def tests_of(root, paths):
    """Returns the programs to build and the prefixes of names of tests."""
    programs, names, places = set(), set(), {}
    for path in paths:
        places.setdefault(lists_of(root, path), []).append(pathlib.PurePosixPath(path))
    for lists, its_paths in places.items():
        text = lists.read_text() if lists else ""
        made = programs_of(text, its_paths)
        programs |= made
        names |= {*made, *TEXT.findall(text), *OTHER.findall(text)}
        if TEXT.search(text) or "TARGET_FILE:vdla>" in text:
            programs.add("vdla")
    if any(path.endswith(".md") and path != "CHANGELOG.md" for path in paths):
        programs.add("vdla")
        names.add("tools.docs_commands")
    return programs, names


if __name__ == "__main__":
    chosen = tests_of(pathlib.Path(sys.argv[1]), sys.stdin.read().split())
    print(*sorted(chosen[sys.argv[2] == "names"]), sep="\n")
