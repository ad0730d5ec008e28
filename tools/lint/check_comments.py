#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A comment begins with a noun or a verb, and says nothing of programs that only persons do.

Holds comments of C, C++, SystemVerilog, CMake, Python, shell and Tcl: the first word of each is none of FIRST, and
none has a phrase of PHRASES. A comment is a block of comment lines, or what stands behind code. Tests had such
comments before the lint looked at them: KEPT has how many a file may have, and a file that has fewer says so.

usage: check_comments.py [ROOT]   exit status 1 and one line per place
"""
import io
import pathlib
import re
import subprocess
import sys
import tokenize

FIRST = ("of", "that", "those", "the same", "in", "what", "where", "whose", "which", "by")
PHRASES = ("nobody", "somebody", "anybody", "everybody", "whoever", "hears?", "so many", "one of such", "the other one", "the same of")
SLASHES = {".c", ".cpp", ".h", ".sv", ".svh", ".v"}
HASHES = {".cmake", ".sh", ".tcl"}
# Written by generators, or in the style of another project.
OTHERS = re.compile(r"(^|/)generated/|^boards/linux/vdla_uio\.c$")
KEPT = "tools/lint/comments_of_tests.txt"

BEGINS = re.compile(rf"({'|'.join(FIRST)})\b", re.I)
HAS = re.compile(rf"\b({'|'.join(PHRASES)})\b", re.I)
# Strings hide what looks like a comment, and a comment hides quotes.
TOKEN = re.compile(r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\[^\'\n]+|[^\'\\\n])\''
                   r"|(?P<line>//[/!]*<?[^\n]*)|(?P<block>/\*.*?\*/)", re.S)
MARK = re.compile(r"//[/!]*<?|#+")
NO_PROSE = re.compile(r"SPDX-License|NOLINT|clang-format|verilator |usage:|shellcheck|noqa|!|-\*-")


def of_slashes(text):
    """Comments of C and its like as (first line, column, whether code stands before it, text)."""
    for found in TOKEN.finditer(text):
        if found["line"] is None and found["block"] is None:
            continue
        begin = text.rfind("\n", 0, found.start()) + 1
        line, code = text.count("\n", 0, found.start()) + 1, bool(text[begin:found.start()].strip())
        if found["line"] is not None:
            mark = MARK.match(found["line"]).group()
            yield line, found.start() - begin, code, mark, found["line"][len(mark):].strip()
        else:
            for number, words in enumerate(found["block"][2:-2].split("\n")):
                yield line + number, found.start() - begin, code and number == 0, "/*", words.strip(" *\t")


def of_hashes(text):
    """Comments of lines that begin with #; what stands behind code is not looked at, since a # there may be text."""
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if words.startswith("#"):
            yield number, len(line) - len(line.lstrip()), False, "#", words.lstrip("#").strip()


def of_python(text):
    """Comments and docstrings of Python."""
    statement = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line, column = token.start
        if token.type == tokenize.COMMENT:
            yield line, column, bool(token.line[:column].strip()), "#", token.string.lstrip("#").strip()
        elif token.type == tokenize.STRING and statement and token.string.startswith('"""'):
            for number, words in enumerate(token.string.strip('"').split("\n")):
                yield line + number, column, False, '"""', words.strip()
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            statement = token.type == tokenize.NEWLINE


def blocks(comments):
    """Lists of (line, text) of the comments, each block of lines below each other in one."""
    block, last = [], None
    for line, column, code, mark, words in comments:
        if (line - 1, column, mark) != last or code:
            if block:
                yield block
            block = []
        if words and not NO_PROSE.match(words):
            block.append((line, words))
        last = (line, column, mark)
    if block:
        yield block


def comments_of(name, text):
    """Blocks of comments of the file of that name."""
    suffix = pathlib.PurePath(name).suffix
    if suffix in SLASHES:
        return blocks(of_slashes(text))
    if suffix == ".py":
        return blocks(of_python(text))
    return blocks(of_hashes(text))


def files(root):
    """Names of the files that the lint holds."""
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [p.relative_to(root).as_posix() for p in root.rglob("*")]
    held = SLASHES | HASHES | {".py"}
    return sorted(name for name in names if (pathlib.PurePath(name).suffix in held or name.endswith("CMakeLists.txt"))
                  and not OTHERS.search(name) and (root / name).is_file())


def problems(name, text):
    """Breaches of the rules in a file of that name, a line each."""
    for block in comments_of(name, text):
        found = BEGINS.match(block[0][1])
        if found:
            yield f"{name}:{block[0][0]}: a comment begins with '{found.group()}', needs a noun or a verb"
        for line, words in block:
            for phrase in HAS.findall(words):
                yield f"{name}:{line}: '{phrase}' in a comment; name the noun"


def kept(root):
    """Number of problems that each file of KEPT may have."""
    path = root / KEPT
    lines = path.read_text().splitlines() if path.is_file() else []
    return {name: int(count) for name, count in (line.split() for line in lines if not line.startswith("#"))}


def main(root):
    """Prints what breaks a rule."""
    status, may_have = 0, kept(root)
    for name in files(root):
        found, most = list(problems(name, (root / name).read_text())), may_have.pop(name, 0)
        if len(found) < most:
            found = [f"{KEPT}: {name} has {len(found)} of {most} comments that break a rule; write {len(found)}, or take it out"]
        if len(found) != most:
            print("\n".join(found))
            status = 1
    for name in may_have:
        print(f"{KEPT}: {name} is not there; take it out")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
