#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recipe of docs/how-to is a patch beside this file. The page shows every line that it adds and names each of its files, and the
patch fits the tree; with --build it is applied in a copy, which is built and tested as the page says.

usage: recipe.py NAME --source ROOT [--build FOLDER]
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Each page ends with these commands: what is built, and the tests that look at it.
BLOCK = re.compile(r"```sh\n(.*?)```", re.S)


def run(words, **where):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **where)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode} of {' '.join(map(str, words))}\n{(done.stdout + done.stderr)[-6000:]}")
    return done.stdout


def added_lines(patch):
    """Of each file, without what the change of a version or a generated file adds."""
    files, name = {}, None
    for line in patch.splitlines():
        if line.startswith("+++ b/"):
            name = line[len("+++ b/"):]
            files[name] = []
        elif line.startswith("+") and name:
            files[name].append(line[1:].strip())
    return files


def check_page(root, patch, page):
    text = page.read_text()
    shown = {" ".join(line.split()) for line in text.splitlines()}
    problems = []
    for file, lines in added_lines(patch).items():
        if f"`{file}`" not in text:
            problems.append(f"{page.name} does not name {file}")
        problems += [f"{page.name} does not show '{line}' of {file}" for line in lines if line and " ".join(line.split()) not in shown]
    if problems:
        sys.exit("\n".join(problems))
    run(["git", "apply", "--check", "-"], cwd=root, input=patch)


def apply_and_build(root, patch, page, folder):
    """The tracked files as they are here, with the patch."""
    copy = folder / "tree"
    run(["rm", "-rf", copy])
    copy.mkdir(parents=True)
    files = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root).split("\0")
    listed = "\0".join(f for f in files if f and (root / f).exists())
    run(["bash", "-c", 'tar -C "$0" --null -T - -c | tar -C "$1" -x', root, copy], input=listed)
    run(["git", "init", "-q"], cwd=copy)
    run(["git", "apply", "-"], cwd=copy, input=patch)
    for command in BLOCK.findall(page.read_text())[-1].splitlines():
        print(command, flush=True)
        run(["bash", "-c", command], cwd=copy)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    arguments = parser.parse_args()
    patch = (HERE / f"{arguments.name}.patch").read_text()
    page = arguments.source / "docs/how-to" / f"add-a-{arguments.name.replace('_', '-')}.md"
    check_page(arguments.source, patch, page)
    if arguments.build:
        apply_and_build(arguments.source, patch, page, arguments.build)


main()
