#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What pages tell their readers to type is what `vdla` takes: each command of theirs exists, and so does each of its
options.

usage: docs_commands_test.py VDLA ROOT
"""
import functools
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "tools/lint"))
from check_prose import pages  # noqa: E402

VDLA, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
# What was true when it was written stays as it is there.
OF_THE_PAST = ("CHANGELOG.md",)
FENCE = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.M | re.S)
INLINE = re.compile(r"`((?:build/bin/)?vdla\s[^`]+)`")


@functools.cache
def options_of(command):
    """Of `vdla COMMAND...`; None: there is no such command."""
    done = subprocess.run([VDLA, *command, "--help"], capture_output=True, text=True)
    known = done.returncode == 0 and f"Usage: vdla {' '.join(command)} " in done.stdout
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", done.stdout)) if known else None


def lines_of(text):
    """Lists of words: of lines of shells, in fenced blocks and in indented ones, with a $ in front or not; and of code
    within a sentence. What a command prints does not begin with its name."""
    fenced = [block for kind, block in FENCE.findall(text) if kind in ("", "sh")]
    fenced += ["\n".join(re.findall(r"^\$ (.*(?:(?<=\\)\n.*)*)", block, re.M)) for kind, block in FENCE.findall(text) if kind == "console"]
    prompts = re.findall(r"^ {4,}(?:\$ )?(.*(?:(?<=\\)\n.*)*)", text, re.M)
    for block in fenced + prompts:
        yield from map(words_of, block.replace("\\\n", " ").split("\n"))
    yield from (code.split() for code in INLINE.findall(FENCE.sub("", text)))


def words_of(line):
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        return list(lexer)
    except ValueError:  # a quotation that ends in another line
        return line.split()


def commands_of(line):
    """The words behind each `vdla` that begins a command."""
    found, words, begins = [], None, True
    for word in line:
        if re.fullmatch(r"[|&;()<>]+", word):
            words, begins = None, True
        elif begins and re.fullmatch(r"(?:.*/)?vdla", word):
            words = []
            found.append(words)
            begins = False
        else:
            begins = begins and "=" in word  # NAME=VALUE before a command
            if words is not None:
                words.append(word)
    return found


def problems_of(words):
    """`run|eval` and `--uio|--xrt` stand for each of them."""
    names = []
    for word in words[:2]:
        if not re.fullmatch(r"[a-z][a-z0-9|-]*", word):
            break
        names.append(word.split("|"))
        if word != "board":
            break
    if not names:
        return
    for last in names[-1]:
        command = tuple(name[0] for name in names[:-1]) + (last,)
        options = options_of(command)
        if options is None:
            yield f"there is no command 'vdla {' '.join(command)}'"
            continue
        for word in words[len(names):]:
            for option in re.match(r"[^=\[\]]*", word).group().split("|"):
                option = option if option.startswith("--") else option[:2]  # -O2
                if re.fullmatch(r"--?[a-zA-Z][\w-]*", option) and option not in options:
                    yield f"'vdla {' '.join(command)}' has no option {option}"


def main():
    seen, status = 0, 0
    for page in pages(ROOT):
        if page in OF_THE_PAST:
            continue
        for line in lines_of((ROOT / page).read_text()):
            for words in commands_of(line):
                seen += 1
                for problem in problems_of(words):
                    print(f"{page}: {problem}: {' '.join(line)}")
                    status = 1
    print(f"{seen} commands")
    return status if seen > 100 else 1


if __name__ == "__main__":
    sys.exit(main())
