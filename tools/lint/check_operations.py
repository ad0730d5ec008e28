#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Facts of the vector operations are rows of isa/spec/operations.h: no other file names an operation to decide
something. An enumerator (VectorOp::Mac) stands in isa/spec, in what is generated from it and in tests; a program that
wants one operation takes operation_named("mac") and compares nothing with it, and no code compares a name's text.

usage: check_operations.py [ROOT]   exit status 1 and one line per place
"""
import pathlib
import re
import sys

TOPS = ["support", "isa", "boards", "sim", "compiler", "runtime", "driver", "kit", "tools", "bench", "hw", "examples"]
FREE = ["isa/spec/", "isa/generated/"]
# Elsewhere a text may have an operation's name and mean something else: ONNX's reduction "add", the "scale" of pixels.
TEXTS = ("isa/", "sim/", "driver/", "compiler/check/", "compiler/codegen/vdla/", "compiler/intrinsics/", "compiler/pipeline/", "compiler/targets/", "compiler/tensorize/")
ENUMERATOR = re.compile(r"\bVectorOp::\w+|\busing enum (?:isa::)?VectorOp\b")
COMPARED = re.compile(r"[=!]=\s*(?:\w+::)*operation_named\(|\boperation_named\([^)]*\)\s*[=!]=|\bcase (?:\w+::)*operation_named\(")


def names():
    """The texts of the operations, as the table beside this script has them."""
    rows = (pathlib.Path(__file__).resolve().parents[2] / "isa/spec/operations.h").read_text()
    return re.findall(r"\{\{VectorOp::\w+, \"(\w+)\"", rows)


def main(root):
    problems = []
    compared_text = re.compile(r'[=!]=\s*"(?:' + "|".join(names()) + r')"(?!\w)')
    for top in TOPS:
        for source in sorted((root / top).rglob("*")):
            name = source.relative_to(root).as_posix()
            if source.suffix not in {".h", ".cpp"} or name.startswith(tuple(FREE)):
                continue
            for number, line in enumerate(source.read_text().splitlines(), 1):
                text = compared_text.search(line) if name.startswith(TEXTS) else None
                for match in (ENUMERATOR.search(line), COMPARED.search(line), text):
                    if match:
                        problems.append(f"{name}:{number}: '{match.group()}' decides by an operation's name, needs a fact of its "
                                        "row: operation_of(op) of isa/spec/operations.h")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
