#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that `cmake --install` takes from a build folder is made by target vdla_installed: a command that the
target runs names it, or CMake itself wrote it.

usage: check_installed.py BUILD [--ninja NINJA]
"""
import argparse
import pathlib
import re
import subprocess
import sys

TARGET = "vdla_installed"


def lines_of(ninja, build, *tool):
    done = subprocess.run([ninja, "-C", build, "-t", *tool], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{build}: {(done.stdout + done.stderr).strip()}")
    return done.stdout.splitlines()


def taken(build, rules):
    """Yields what install rules, and the rules that they include, take from the build folder: paths relative to it."""
    text = rules.read_text()
    for call in re.findall(r"file\(INSTALL ([^)]*)\)", text):
        yield from re.findall(rf'"{re.escape(str(build))}/([^"]+)"', call)
    for included in re.findall(r'include\("([^"]+/cmake_install\.cmake)"\)', text):
        yield from taken(build, pathlib.Path(included))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--ninja", default="ninja")
    arguments = parser.parse_args()
    build, ninja = arguments.build.resolve(), arguments.ninja
    made = {line.rsplit(": ", 1)[0] for line in lines_of(ninja, build, "targets", "all")}
    words = {word for line in lines_of(ninja, build, "commands", TARGET) for word in line.split()}
    seen, missing = set(taken(build, build / "cmake_install.cmake")), []
    for path in sorted(seen):
        written_by_cmake = path not in made and (build / path).is_file()
        if not (written_by_cmake or path in words or f"{build}/{path}" in words):
            missing.append(path)
            print(f"{path}: is installed and not made by target {TARGET}; vdla_install_target() adds a target "
                  "(cmake/VdlaLibrary.cmake)")
    if not seen:
        print(f"{build}: no install rule names a file below it")
    return 1 if missing or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
