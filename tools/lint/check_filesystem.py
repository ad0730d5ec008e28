#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no code outside of tests and benchmarks calls what throws std::filesystem::filesystem_error: a path in a
closed folder is the input's fault, and filesystem_error has neither a sentence nor a status for that. A call needs a
std::error_code as its last argument, or the function of support/path.h. No range for reads a folder: its steps throw.

usage: check_filesystem.py [ROOT]   exit status 1 and one line per call
"""
import pathlib
import re
import sys

FOLDERS = ["support", "isa", "kit", "sim", "boards", "compiler", "runtime", "driver", "tools"]
THROWING = ("absolute canonical copy copy_file copy_symlink create_directories create_directory create_directory_symlink create_hard_link "
            "create_symlink current_path directory_iterator equivalent exists file_size hard_link_count is_block_file is_character_file "
            "is_directory is_empty is_fifo is_other is_regular_file is_socket is_symlink last_write_time permissions proximate read_symlink "
            "recursive_directory_iterator relative remove remove_all rename resize_file space status symlink_status temp_directory_path "
            "weakly_canonical").split()
CALL = re.compile(r"\b(?:fs|std::filesystem)::(" + "|".join(THROWING) + r")(?:\s+\w+)?\(")
RANGE = re.compile(r"\bfor\s*\([^;()]*:\s*(?:fs|std::filesystem)::(?:recursive_)?directory_iterator\b")
MEMBER = re.compile(r"\.(?:exists|file_size|is_directory|is_regular_file|is_socket|is_symlink|last_write_time)\(\)")
CODE = re.compile(r"\bstd::error_code\s*&?\s*(\w+(?:\s*,\s*\w+)*)")


def without_comments(text):
    """Line breaks stay, so that lines keep their numbers."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: '""' if m[0][0] == '"' else "\n" * m[0].count("\n"), text, flags=re.S)


def last_argument(text, at):
    """Arguments of the call that begin at `at`."""
    depth, begin = 1, at
    while depth:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
        if text[at] == "," and depth == 1:
            begin = at + 1
        at += 1
    return text[begin:at - 1].strip()


def problems(text):
    text = without_comments(text)
    codes = {name for names in CODE.findall(text) for name in re.split(r"\s*,\s*", names)}
    for call in CALL.finditer(text):
        if last_argument(text, call.end()) not in codes:
            yield call.start(), f"{call[1]}() throws: give it a std::error_code, or take the function of support/path.h"
    for loop in RANGE.finditer(text):
        yield loop.start(), "the steps of a range for over a folder throw: take entries_of() of support/path.h"
    for member in MEMBER.finditer(text):
        yield member.start(), f"{member[0][1:]} of a folder's entry throws: take the function of support/path.h"


def main(root):
    found = 0
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".cpp", ".h"):
                continue
            text = file.read_text()
            for at, problem in sorted(problems(text)):
                found += 1
                print(f"{file.relative_to(root)}:{without_comments(text).count(chr(10), 0, at) + 1}: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
