#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Size budget: fails when a file or a class crosses its hard limit and does not say why it is one thing; prints the
worst ten files. The reason is a comment directly above the class, or in the lines that the file begins with, as in
"// Long: a method for each operator, which call each other." Files of tests are not looked at: lists of cases are long.

usage: check_sizes.py [ROOT]
"""
import pathlib
import re
import sys

HARD = {".cpp": 700, ".c": 700, ".h": 300, ".sv": 400, ".v": 400, ".py": 300}
CLASS = 200
HEAD = re.compile(r"^(\s*)(?:template.*>\s*)?(?:class|struct)\s+(?:\w+::)*(\w+)[^;]*\{\s*$")
# The head of a function that stands outside of its class.
MEMBER = re.compile(r"^(?![\s}/#])[^=;(]*?\b(\w+)::(?:~?\w+|operator[^(]*)\(")
COMMENT = re.compile(r"\s*(?://|#(?!\s*(?:include|pragma|define|if)))")
TEMPLATE = re.compile(r"\s*template\b[^;{]*>$")
REASON = re.compile(r"\s*(?://|#) Long:\s*(.*)")
TOPS = ["support", "isa", "hw", "sim", "compiler", "runtime", "driver", "kit", "tools", "bench"]


def reasons(lines):
    """(class, reason) of each comment that gives one; "" for the file, None where the comment stands at neither."""
    for at, line in enumerate(lines):
        if not (match := REASON.match(line)):
            continue
        behind = next((line for line in lines[at:] if not COMMENT.match(line) and not TEMPLATE.match(line)), "")
        head = HEAD.match(behind)
        if all(COMMENT.match(before) for before in lines[:at]):
            yield "", match.group(1)
        else:
            yield head and head.group(2), match.group(1)


def classes(lines):
    """(name, lines) of each class that is written over lines; its closing brace stands where its head begins."""
    for first, line in enumerate(lines):
        if match := HEAD.match(line):
            ends = (i for i in range(first + 1, len(lines)) if lines[i].startswith(match.group(1) + "}"))
            yield match.group(2), next(ends, first) - first + 1


def members(lines):
    """(name of the class, lines) of each function that is defined outside of its class."""
    for first, line in enumerate(lines):
        match = MEMBER.match(line)
        if not match or line.endswith(";"):
            continue
        last = first
        while last + 1 < len(lines) and not lines[last].startswith("}") and not (last == first and line.endswith("}")):
            last += 1
        yield match.group(1), last - first + 1


def main(root):
    rows, sizes = [], {}  # sizes: lines by (file, class)
    excused = {}  # reasons by (file, class)
    defined = []  # found in a source: (file, class, lines)
    for top in TOPS:
        for source in (root / top).rglob("*"):
            name = source.relative_to(root).as_posix()
            if source.suffix in HARD and source.is_file() and not name.startswith("isa/generated/"):
                text = source.read_text(errors="replace").splitlines()
                rows.append((len(text) / HARD[source.suffix], len(text), name))
                excused |= {(name, of): reason for of, reason in reasons(text)}
                if source.suffix in {".h", ".cpp"}:
                    for known, size in classes(text):
                        sizes[name, known] = sizes.get((name, known), 0) + size
                    defined += [(name, known, size) for known, size in members(text)]
    for name, known, size in defined:
        folder = name.rpartition("/")[0]
        homes = [name] if (name, known) in sizes else [f for f, k in sizes if k == known and f.rpartition("/")[0] == folder and f.endswith(".h")]
        if homes:
            sizes[homes[0], known] += size
    rows.sort(reverse=True)
    for share, lines, name in rows[:10]:
        print(f"{lines:5} lines, {100 * share:4.0f} % of the limit  {name}")
    long = {(name, ""): "over the hard limit" for share, _, name in rows if share > 1}
    long |= {key: f"a class of more than {CLASS} lines" for key, size in sizes.items() if size > CLASS}
    problems = [f"{' '.join(key).strip()}: {what}; split it, or say above it why it is one thing: // Long: ..."
                for key, what in long.items() if not excused.get(key)]
    problems += [f"{key[0]}: '// Long: {reason}' stands above no file or class that is too long"
                 for key, reason in excused.items() if key not in long]
    print("".join(problem + "\n" for problem in problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
