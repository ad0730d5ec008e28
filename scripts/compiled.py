#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints which of the paths a build folder compiles, for scripts/check.sh. A build in groups (VDLA_UNITY) knows the
command of each group alone; the command of each source goes to FOLDER/compile_commands.json, so that clang-tidy guesses
none. Headers count as compiled unless their folder has sources and none of these is: it belongs to a part that this
build leaves out.

usage: compiled.py BUILD FOLDER < PATHS
"""
import json
import pathlib
import re
import sys

GROUPED = re.compile(r'^#include "(.+)"$', re.M)


def commands_by_source(build):
    """Returns a command for each source, as CMake's compile_commands.json has it."""
    commands = []
    for command in json.loads((build / "compile_commands.json").read_text()):
        file = command["file"]
        group = pathlib.Path(command["directory"], file)
        if group.parent.name != "Unity":
            commands.append(command)
        elif group.exists():
            commands += [command | {"file": source, "command": command["command"].replace(file, source)}
                         for source in GROUPED.findall(group.read_text())]
    return commands


def compiled(path, sources):
    path = path.resolve()
    if path.suffix != ".h":
        return path in sources
    beside = [other.resolve() for pattern in ("*.cpp", "*.c") for other in path.parent.glob(pattern)]
    return not beside or any(other in sources for other in beside)


def main(build, folder):
    commands = commands_by_source(pathlib.Path(build))
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(commands, indent=1))
    sources = {pathlib.Path(command["directory"], command["file"]).resolve() for command in commands}
    for path in sys.stdin.read().splitlines():
        if compiled(pathlib.Path(path), sources):
            print(path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
