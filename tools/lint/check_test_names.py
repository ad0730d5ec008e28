#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every INSTANTIATE_TEST_SUITE_P names its cases: ctest shows these names, and their numbers change with the list.

usage: check_test_names.py [ROOT]   exit status 1 and one line per place
"""
import pathlib
import re
import sys

MACRO = re.compile(r"\bINSTANTIATE_TEST_SUITE_P(?=\()")
# Text that hides parentheses and commas: raw strings, strings, letters, comments.
TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\])*"|\'(?:\\[^\']+|[^\'\\])\'|//[^\n]*', re.S)


def arguments(text, begin):
    """How many arguments stand in the parentheses at `begin`."""
    depth, commas = 0, 0
    for letter in text[begin:]:
        depth += (letter in "([{") - (letter in ")]}")
        commas += letter == "," and depth == 1
        if depth == 0:
            return commas + 1
    return 0


def main(root):
    status = 0
    for top in ("tests", "bench"):
        for source in sorted((root / top).rglob("*")):
            if source.suffix not in {".cpp", ".h"}:
                continue
            text = TEXT.sub(lambda match: '"' + re.sub(r"[^\n]", " ", match.group()), source.read_text())
            for match in MACRO.finditer(text):
                if arguments(text, match.end()) < 4:
                    number = text.count("\n", 0, match.start()) + 1
                    print(f"{source.relative_to(root).as_posix()}:{number}: INSTANTIATE_TEST_SUITE_P numbers its cases, needs a fourth argument "
                          "that names them (tests/test_name.h)")
                    status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
