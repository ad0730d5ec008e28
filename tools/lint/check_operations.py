#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Facts of the vector operations are rows of isa/spec/operations.h: no other file names an operation to decide something. An
enumerator (VectorOp::Mac) stands in isa/spec, in what is generated from it and in tests; a program that wants one operation takes
operation_named("mac") and compares nothing with it.

usage: check_operations.py [ROOT]   exit status 1 and one line per place
"""
import pathlib
import re
import sys

TOPS = ["support", "isa", "boards", "sim", "compiler", "runtime", "driver", "kit", "tools", "bench", "hw", "examples"]
FREE = ["isa/spec/", "isa/generated/"]
ENUMERATOR = re.compile(r"\bVectorOp::\w+|\busing enum (?:isa::)?VectorOp\b")
COMPARED = re.compile(r"[=!]=\s*(?:\w+::)*operation_named\(|\boperation_named\([^)]*\)\s*[=!]=|\bcase (?:\w+::)*operation_named\(")


def main(root):
    problems = []
    for top in TOPS:
        for source in sorted((root / top).rglob("*")):
            name = source.relative_to(root).as_posix()
            if source.suffix not in {".h", ".cpp"} or name.startswith(tuple(FREE)):
                continue
            for number, line in enumerate(source.read_text().splitlines(), 1):
                for match in (ENUMERATOR.search(line), COMPARED.search(line)):
                    if match:
                        problems.append(f"{name}:{number}: '{match.group()}' decides by an operation's name, needs a fact of its "
                                        "row: operation_of(op) of isa/spec/operations.h")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
