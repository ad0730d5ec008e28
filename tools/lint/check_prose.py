#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prose of the Markdown files, and comments of Python, CMake and shell files, end their lines within 120 columns;
tables, code, headings and what has no space to break at may go on.

usage: check_prose.py [--fix] [ROOT]      --fix wraps what is too long in Markdown files
"""
import ast
import pathlib
import re
import subprocess
import sys
import textwrap

WIDTH = 120
# Written by vdla-isagen, from texts that say what wraps them.
GENERATED = {"docs/isa/manual.md"}
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])\s+")
# Marks that would begin a list, a heading, a quotation or a table at the start of a line.
STARTS_BLOCK = re.compile(r"^([-+*#>|]|\d+[.)])(\s|$)|^[|>#]")
GLUE = "\x00"


def kinds(lines):
    """Each line with whether it is prose: neither in a block of code, nor of a table, a heading or HTML."""
    fence, blank, in_list = None, True, False
    for line in lines:
        stripped, prose = line.lstrip(), False
        mark = re.match(r"(```+|~~~+)", stripped)
        if fence:
            if stripped.startswith(fence) and not stripped.strip(fence[0]).strip():
                fence = None
        elif mark:
            fence = mark.group(1)
        elif stripped and (stripped[0] in "|#<" or (line.startswith("    ") and blank and not in_list)
                           or re.match(r"^\s*!?\[[^]]*\]\([^)]*\)$", line)):
            in_list = in_list and line[0] == " "
        elif stripped:
            prose = True
            in_list = bool(ITEM.match(line)) or (in_list and (line[0] == " " or not blank))
        yield line, prose
        blank = not stripped


def wrap(text, first, rest):
    """Lines of one paragraph. Code in backticks is not broken, and no line begins as a list or a table does."""
    glued = re.sub(r"(`+)(.+?)\1", lambda m: m.group(0).replace(" ", GLUE), " ".join(text.split()))
    while True:
        lines = textwrap.wrap(glued, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)
        bad = next((line for line in lines[1:] if STARTS_BLOCK.match(line.strip())), None)
        if bad is None:
            return [line.replace(GLUE, " ") for line in lines]
        # Keep the word at the end of the line before, with the one there.
        pair = lines[lines.index(bad) - 1].split()[-1], bad.split()[0]
        assert " ".join(pair) in glued, pair
        glued = glued.replace(" ".join(pair), GLUE.join(pair), 1)


def wrapped(lines):
    """The lines with each paragraph that holds a long one wrapped anew."""
    result, paragraph = [], []

    def flush():
        if paragraph and any(too_long(line) for line in paragraph):
            item = ITEM.match(paragraph[0])
            first = item.group(0) if item else re.match(r"\s*", paragraph[0]).group(0)
            rest = " " * len(first)
            text = " ".join([paragraph[0][len(first):].strip()] + [line.strip() for line in paragraph[1:]])
            result.extend(wrap(text, first, rest))
        else:
            result.extend(paragraph)
        paragraph.clear()

    for line, prose in kinds(lines):
        if not prose or ITEM.match(line):
            flush()
        if prose and not line.endswith("  "):
            paragraph.append(line)
        else:
            flush()
            result.append(line)
    flush()
    return result


def too_long(line):
    """Whether it could have been broken: links and code that reach beyond the edge cannot."""
    return len(line) > WIDTH and " " in re.sub(r"(`+)(.+?)\1", lambda m: m.group(0).replace(" ", GLUE), line.strip())[:WIDTH + 1]


def comments(name, text):
    """Each line with whether it is a comment, or of a Python docstring. Lines with columns in them are tables."""
    said = set()
    if name.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)
            if documented:
                said.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        yield line, (number in said or stripped.startswith("#")) and "  " not in stripped


def files(root, *patterns):
    """Names of the files of these patterns that people write."""
    listed = subprocess.run(["git", "-C", root, "ls-files", *patterns], capture_output=True, text=True)
    found = (p.relative_to(root).as_posix() for pattern in patterns for p in root.rglob(pattern))
    names = listed.stdout.split() if listed.returncode == 0 else found
    return sorted(name for name in set(names) - GENERATED if "/generated/" not in name or name.endswith(".md"))


def pages(root):
    """Names of the Markdown files that people write."""
    return files(root, "*.md")


def main(arguments):
    fix = "--fix" in arguments
    roots = [a for a in arguments if a != "--fix"]
    root = pathlib.Path(roots[0] if roots else ".")
    status = 0
    for name in pages(root):
        lines = (root / name).read_text().split("\n")
        if fix:
            (root / name).write_text("\n".join(wrapped(lines)))
            continue
        for number, (line, prose) in enumerate(kinds(lines), 1):
            if prose and too_long(line):
                print(f"{name}:{number}: {len(line)} columns; prose ends within {WIDTH} (tools/lint/check_prose.py --fix wraps it)")
                status = 1
    for name in [] if fix else files(root, "*.py", "*.sh", "*.cmake", "CMakeLists.txt"):
        for number, (line, comment) in enumerate(comments(name, (root / name).read_text()), 1):
            if comment and too_long(line):
                print(f"{name}:{number}: {len(line)} columns; comments end within {WIDTH}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
