#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles sources alone, without their code: a build in groups (VDLA_UNITY) lets a source use what another one of its
group includes. All sources, or with --some N as many, drawn by the newest commit: half of them among those that the
last twenty commits changed.

usage: check_alone.py ROOT BUILD [--some N]
"""
import concurrent.futures
import os
import pathlib
import random
import shlex
import subprocess
import sys


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False).stdout.split()


def draw(root, sources, count):
    """Returns `count` of the sources, the same for a commit."""
    rest = sorted(sources)
    random.Random("".join(git(root, "rev-parse", "HEAD"))).shuffle(rest)
    changed = {str(pathlib.Path(root, name).resolve()) for name in git(root, "diff", "--name-only", "HEAD~20")}
    newest = [source for source in rest if source in changed][:count // 2]
    return newest + [source for source in rest if source not in newest][:count - len(newest)]


def compile_alone(command):
    words = shlex.split(command["command"])
    words = words[:words.index("-o")] + words[words.index("-o") + 2:]
    made = subprocess.run([*words, "-fsyntax-only"], cwd=command["directory"], capture_output=True, text=True, check=False)
    return made.stderr if made.returncode else ""


def main(root, build, some=None):
    sys.path.insert(0, str(pathlib.Path(root, "scripts")))
    from compiled import commands_by_source
    # Sources that are made while the kit is built may not be there.
    commands = {str(pathlib.Path(c["directory"], c["file"]).resolve()): c for c in commands_by_source(pathlib.Path(build))}
    commands = {source: c for source, c in commands.items() if source.endswith(".cpp") and os.path.exists(source)}
    chosen = draw(root, commands, int(some)) if some else sorted(commands)
    status = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, errors in zip(chosen, pool.map(lambda s: compile_alone(commands[s]), chosen)):
            if errors:
                print(f"{os.path.relpath(source, root)} does not compile alone; does it lack an include?\n{errors}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], *sys.argv[4:]))
