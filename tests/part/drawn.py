#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command where the commit draws it, as tests/part/part.h says for programs of tests; else says in a line that
it does not run, with status 0. Of COUNT commands with one KEY, each commit draws one.

usage: drawn.py KEY NUMBER COUNT COMMAND...
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def draw_text():
    if "VDLA_DRAW" in os.environ:
        return os.environ["VDLA_DRAW"]
    try:
        done = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
    except OSError:
        return "no commit"
    return done.stdout[:12] if done.returncode == 0 else "no commit"


def draw(what, count, text):
    """draw() of part.cpp."""
    value = 0xCBF29CE484222325
    for byte in f"{text}/{what}".encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return (value ^ value >> 32) % count


def main(key, number, count, *command):
    whole = os.environ.get("VDLA_WHOLE", "0") not in ("", "0")
    text = draw_text()
    if whole or draw(key, int(count), text) == int(number):
        os.execvp(command[0], command)
    print(f"part: it does not run, not drawn: one in {count} is, by '{text}'; `ctest -C Campaign -L whole` runs all")


if __name__ == "__main__":
    main(*sys.argv[1:])
