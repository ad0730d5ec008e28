#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Size budget: fails when a file or a class crosses its hard limit without a reasoned line in size_exceptions.txt; prints the
worst ten files.

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
TOPS = ["support", "isa", "hw", "sim", "compiler", "runtime", "driver", "kit", "tools"]


def exceptions(path):
    result = {}
    for line in path.read_text().splitlines():
        name, _, reason = line.partition(":")
        if name.strip() and not line.startswith("#"):
            if not reason.strip():
                raise SystemExit(f"{path}: '{name}' has no reason")
            result[name.strip()] = reason.strip()
    return result


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
    excused = exceptions(root / "tools/lint/size_exceptions.txt")
    rows, sizes = [], {}  # sizes: lines by (file, class)
    defined = []  # of a source: (file, class, lines)
    for top in TOPS:
        for source in (root / top).rglob("*"):
            name = source.relative_to(root).as_posix()
            if source.suffix in HARD and source.is_file() and not name.startswith("isa/generated/"):
                text = source.read_text(errors="replace").splitlines()
                rows.append((len(text) / HARD[source.suffix], len(text), name))
                if source.suffix in {".h", ".cpp"}:
                    for known, size in classes(text):
                        sizes[name, known] = sizes.get((name, known), 0) + size
                    defined += [(name, known, size) for known, size in members(text)]
    for name, known, size in defined:
        folder = name.rpartition("/")[0]
        homes = [name] if (name, known) in sizes else [f for f, k in sizes if k == known and f.rpartition("/")[0] == folder and f.endswith(".h")]
        if homes:
            sizes[homes[0], known] += size
    long_classes = [f"{name} {known}" for (name, known), size in sizes.items() if size > CLASS]
    rows.sort(reverse=True)
    for share, lines, name in rows[:10]:
        print(f"{lines:5} lines, {100 * share:4.0f} % of the limit  {name}")
    over = [name for share, _, name in rows if share > 1 and name not in excused]
    for name in over:
        print(f"{name}: over the hard limit; split it, or give the reason in tools/lint/size_exceptions.txt")
    wide = [name for name in long_classes if name not in excused]
    for name in wide:
        print(f"{name}: a class of more than {CLASS} lines; split it, or give the reason in tools/lint/size_exceptions.txt")
    known = {name for _, _, name in rows} | set(long_classes)
    stale = [name for name in excused if name not in known]
    for name in stale:
        print(f"size_exceptions.txt names {name}, which does not exist or is no longer so long")
    return 1 if over or wide or stale else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
