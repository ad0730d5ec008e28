#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C++ source must be listed in the CMakeLists.txt of its folder or of a parent folder, every text test
(tests/*/text/) in a vdla_text_tests() of the folder above; globs are not used.

usage: check_sources.py [ROOT]
"""
import pathlib
import re
import sys

TOPS = ["support", "isa", "boards", "sim", "compiler", "runtime", "driver", "kit", "tools", "tests", "bench", "hw", "examples"]


def listed(source, root):
    folder = source.parent
    while True:
        lists = folder / "CMakeLists.txt"
        if lists.exists() and source.relative_to(folder).as_posix() in lists.read_text():
            return True
        if folder == root:
            return False
        folder = folder.parent


def listed_text(test):
    lists = test.parent.parent / "CMakeLists.txt"
    calls = re.findall(r"vdla_text_tests\(([^)]*)\)", lists.read_text()) if lists.exists() else []
    return any(test.stem in call.split() for call in calls)


def main(root):
    missing = [
        source.relative_to(root).as_posix()
        for top in TOPS
        for source in sorted((root / top).rglob("*"))
        if source.suffix in {".cpp", ".c"} and not listed(source, root)
    ]
    missing += [test.relative_to(root).as_posix() for test in sorted((root / "tests").glob("**/text/*.*")) if not listed_text(test)]
    for name in missing:
        print(f"{name}: not listed in any CMakeLists.txt")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
