#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No page states a clock or a speed of hardware without its evidence: a number of MHz, or of frames a second, says in
its own sentence or cell of a table that it is assumed, asked of the tools, of another design, routed, or by analysis.

usage: check_clocks.py [ROOT]
"""
import pathlib
import re
import sys

from check_prose import kinds, pages

CLAIM = re.compile(r"\d\s?[MG]Hz\b|\d\s?(?:fps\b|frames (?:a|per) second)", re.I)
COLUMN = re.compile(r"\b[MG]Hz\b|\bfps\b|frames (?:a|per) second", re.I)
# Words that say where such a number comes from.
SAID = re.compile(r"\bassum\w+|\basked\b|\basks\b|\bpublished\b|\bnot measured\b|\brouted\b|\bby analysis\b")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\[])")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def units(lines):
    """(number of the line, text): sentences of prose, cells of tables, lines of code. In a column of clocks or speeds a
    cell that has a number is one with the column's name."""
    paragraph, begin, columns = [], 0, None

    def sentences():
        for sentence in SENTENCE.split(" ".join(paragraph)):
            yield begin, sentence
        paragraph.clear()

    for number, (line, prose) in enumerate(kinds(lines), 1):
        if not prose:
            yield from sentences()
        if prose:
            begin = begin if paragraph else number
            paragraph.append(line.strip())
        elif line.lstrip().startswith("|"):
            row = cells(line)
            if columns is None:
                columns = [match.group() if (match := COLUMN.search(name)) else "" for name in row]
            for cell, unit in zip(row, columns + [""] * len(row)):
                yield number, f"{cell} {unit}" if unit and re.search(r"\d$", cell) else cell
        else:
            yield number, line
        if not line.lstrip().startswith("|"):
            columns = None
    yield from sentences()


def main(root):
    status = 0
    for name in pages(root):
        for number, text in units((root / name).read_text().split("\n")):
            if CLAIM.search(text) and not SAID.search(text):
                print(f"{name}:{number}: '{CLAIM.search(text).group()}' in \"{text[:100]}\": no board has run at it; say that it is "
                      "assumed, asked for, routed or by analysis, or who published it")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
