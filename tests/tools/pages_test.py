#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of pages as a reader would, and compares what they print.

A page that says `<!-- commands: run -->` is run in a folder of its own, block after block, where `vdla` is in the path,
`import vdla` works and `examples` is the tree's. With `commands: run NAME=PATH ...` the folder has each NAME, a file or
folder of the shared models, too; without them the page is skipped. A page of `commands: run in Python` is skipped
without VDLA_PYTHON, a Python that has numpy.

```console     lines that begin with "$ " are commands, the lines below are what each prints (both streams)
```sh          commands that have to end with status 0
```sh not-run: REASON       commands for another machine
```KIND file=NAME           text that the reader writes to a file
... in a line is any text, a line of it any lines; durations differ ("1.1 s" is any number of seconds).

usage: pages_test.py VDLA ROOT [PAGE...]   exit status 77: all pages were skipped
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/lint"))
from check_prose import pages  # noqa: E402

HEAD = re.compile(r"^<!-- commands: run\b(.*?)-->", re.M | re.S)
FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.M | re.S)
DURATION = re.compile(r"(?<![\w.])\d+(?:\.\d+)? (m?s|us|min)\b")
SKIPPED = 77


class Wrong(Exception):
    """A block that does not do what its page says: line of the page, and what is wrong."""


def pattern_of(line):
    line = DURATION.sub(r"# \1", line.rstrip())
    return ".*".join(re.escape(part) for part in line.split("..."))


def matches(wanted, printed):
    """Whether the lines that a page shows are those that were printed; "..." stands for any lines."""
    pattern = "".join("(?:.*\n)*" if line.strip() == "..." else pattern_of(line) + "\n" for line in wanted)
    text = "".join(DURATION.sub(r"# \1", line.rstrip()) + "\n" for line in printed)
    return re.fullmatch(pattern, text) is not None


class Shell:
    """Commands in one folder, each in a shell of its own."""

    def __init__(self, folder, vdla):
        self.folder = folder
        programs = folder / ".bin"
        programs.mkdir()
        os.symlink(os.environ.get("VDLA_PYTHON", sys.executable), programs / "python3")
        path = f"{programs}:{pathlib.Path(vdla).parent}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "PYTHONPATH": str(pathlib.Path(vdla).parents[1] / "lib/python")}

    def __call__(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return done.returncode, done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []


def run_console(lines, begin, shell):
    at = 0
    while at < len(lines):
        number, command = begin + at, lines[at]
        if not command.startswith("$ "):
            raise Wrong(number, f"a block of console begins with '$ ', not with {command!r}")
        at += 1
        while command.endswith("\\") and at < len(lines):
            command, at = command[:-1] + lines[at].strip(), at + 1
        wanted = []
        while at < len(lines) and not lines[at].startswith("$ "):
            wanted.append(lines[at])
            at += 1
        status, printed = shell(command[2:])
        if not matches(wanted, printed):
            raise Wrong(number, f"{command}\n  the page shows:\n" + "".join(f"    {line}\n" for line in wanted) +
                        f"  printed, with status {status}:\n" + "".join(f"    {line}\n" for line in printed))


def run_block(info, body, begin, shell):
    """Returns whether the block is one of commands that ran."""
    lines = body.rstrip("\n").split("\n")
    kind = info.split(" ")[0]
    if "not-run" in info:
        if not re.search(r"not-run: \w{3}", info):
            raise Wrong(begin - 1, "'not-run' says why: not-run: REASON")
        return False
    if name := re.search(r"\bfile=(\S+)", info):
        (shell.folder / name.group(1)).write_text(body)
        return False
    if kind == "console":
        run_console(lines, begin, shell)
    elif kind == "sh":
        status, printed = shell("set -e\n" + body)
        if status != 0:
            raise Wrong(begin, f"ends with status {status}:\n" + "\n".join(printed))
    elif not kind:
        raise Wrong(begin - 1, "a block of a page that is run says what it is: sh, console, text, or a language")
    return kind in ("console", "sh")


def link(uses, folder, data):
    os.symlink(ROOT / "examples", folder / "examples")
    for use in uses:
        name, _, path = use.partition("=")
        if not (data / path).exists():
            raise Wrong(1, f"{use}: the shared models have no {path}")
        os.symlink(data / path, folder / name)


def run_page(name, vdla):
    """Number of blocks that ran; None: the page is none that is run, or needs what is not there."""
    text = (ROOT / name).read_text()
    head = HEAD.search(text)
    data = os.environ.get("VDLA_DATA")
    if not head:
        return None
    in_python, uses = re.fullmatch(r"(\s+in Python)?(.*)", head.group(1), re.S).groups()
    if (uses.strip() and not data) or (in_python and "VDLA_PYTHON" not in os.environ):
        return None
    with tempfile.TemporaryDirectory() as scratch:
        shell = Shell(pathlib.Path(scratch), vdla)
        link(uses.split(), shell.folder, pathlib.Path(data or "."))
        return sum(run_block(block.group(2).strip(), textwrap.dedent(block.group(3)), text.count("\n", 0, block.start()) + 2, shell)
                   for block in FENCE.finditer(text))


def main():
    names, ran, status = sys.argv[3:] or pages(ROOT), 0, 0
    for name in names:
        try:
            blocks = run_page(name, pathlib.Path(sys.argv[1]).resolve())
        except Wrong as wrong:
            print(f"{name}:{wrong.args[0]}: {wrong.args[1]}")
            status = 1
            continue
        if blocks is not None:
            print(f"{name}: {blocks} blocks ran")
            ran += 1
    if not ran and not status:
        print("pages: Skipped\nset VDLA_DATA to the folder of shared models and vectors")
        return SKIPPED
    return status


if __name__ == "__main__":
    sys.exit(main())
