#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recipe of docs/how-to is a patch beside this file. The page shows every line that it adds, its first table names
the files that it touches and no others, the files that it names elsewhere exist, and the patch fits the tree. With
--build it is applied in a copy, which is built and tested as the page says. With --leave-out the copy is then built
without each of the files in turn: what the table says asks for a file must do so.

usage: recipe.py NAME --source ROOT [--build FOLDER [--leave-out | --only FILE ...]]
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Each page ends with these commands: what is built, and the tests that look at it.
BLOCK = re.compile(r"```sh\n(.*?)```", re.S)
# | `file` | what | who asks |
ROW = re.compile(r"^\| `([^`]+)` \| .* \| (.*) \|$", re.M)
# A file of the tree.
PLACE = re.compile(r"`((?:bench|boards|cmake|compiler|docs|driver|examples|hw|isa|kit|runtime|sim|support|tests|tools)/[\w/.-]+\.\w+)`")
APPLY = ["git", "apply", "-C1"]  # lines around a change may change
NOBODY = "you"  # asks for the change itself


def run(words, **where):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **where)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode} of {' '.join(map(str, words))}\n{(done.stdout + done.stderr)[-6000:]}")
    return done.stdout


def added_lines(patch):
    """Of each file."""
    files, name = {}, None
    for line in patch.splitlines():
        if line.startswith("+++ b/"):
            name = line[len("+++ b/"):]
            files[name] = []
        elif line.startswith("+") and name:
            files[name].append(line[1:].strip())
    return files


def table(page):
    """The files of the page's first table: what asks for each."""
    first = re.search(r"(?:^\|.*\n)+", page.read_text(), re.M)
    return dict(ROW.findall(first.group())) if first else {}


def check_page(root, patch, page):
    shown = {" ".join(line.split()) for line in page.read_text().splitlines()}
    named, touched = set(table(page)), added_lines(patch)
    problems = [f"the table of {page.name} does not name {file}, which the patch touches" for file in touched if file not in named]
    problems += [f"the table of {page.name} names {file}, which the patch does not touch" for file in named if file not in touched]
    for file in PLACE.findall(page.read_text()):
        if "NAME" not in file and file not in touched and not (root / file).exists():
            problems.append(f"{page.name} names {file}, which does not exist")
    for file, lines in touched.items():
        problems += [f"{page.name} does not show '{line}' of {file}" for line in lines if line and " ".join(line.split()) not in shown]
    if problems:
        sys.exit("\n".join(problems))
    run([*APPLY, "--check", "-"], cwd=root, input=patch)


def copy_of(root, patch, folder):
    """The tracked files as they are here, with the patch."""
    copy = folder / "tree"
    run(["rm", "-rf", copy])
    copy.mkdir(parents=True)
    files = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root).split("\0")
    listed = "\0".join(f for f in files if f and (root / f).exists())
    run(["bash", "-c", 'tar -C "$0" --null -T - -c | tar -C "$1" -x', root, copy], input=listed)
    run(["git", "init", "-q"], cwd=copy)
    run([*APPLY, "-"], cwd=copy, input=patch)
    return copy


def commands(page):
    return BLOCK.findall(page.read_text())[-1].splitlines()


def apply_and_build(page, copy):
    for command in commands(page):
        print(command, flush=True)
        run(["bash", "-c", command], cwd=copy)


def leave_out(patch, page, copy, file, asked):
    """The commands without this file's part of the patch: one fails, and says what the table does."""
    run([*APPLY, "-R", f"--include={file}", "-"], cwd=copy, input=patch)
    said = ""
    for command in commands(page):
        done = subprocess.run(["bash", "-c", command], cwd=copy, capture_output=True, text=True)
        if done.returncode != 0:
            said = done.stdout + done.stderr
            break
    run([*APPLY, f"--include={file}", "-"], cwd=copy, input=patch)
    if not said:
        return f"nothing asks for {file}"
    missing = [words for words in re.findall(r"`([^`]+)`", asked) if words not in said]
    return f"without {file}, nobody says {missing} but\n{said[-3000:]}" if missing else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--leave-out", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], help="leave out these")
    arguments = parser.parse_args()
    patch = (HERE / f"{arguments.name}.patch").read_text()
    article = "an" if arguments.name[0] in "aeiou" else "a"
    page = arguments.source / "docs/how-to" / f"add-{article}-{arguments.name.replace('_', '-')}.md"
    check_page(arguments.source, patch, page)
    if not arguments.build:
        return
    copy = copy_of(arguments.source, patch, arguments.build)
    apply_and_build(page, copy)
    problems = []
    for file, asked in table(page).items():
        if asked == NOBODY or not (file in arguments.only or arguments.leave_out):
            continue
        problem = leave_out(patch, page, copy, file, asked)
        print(f"{file}: {problem or asked}", flush=True)
        problems += [problem] if problem else []
    if problems:
        sys.exit("\n".join(problems))


main()
