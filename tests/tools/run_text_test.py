#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the RUN lines of a text test: shell commands in which %s is the file, and vdla and FileCheck are the given
programs."""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vdla", required=True)
    parser.add_argument("--filecheck", required=True)
    parser.add_argument("file", type=pathlib.Path)
    arguments = parser.parse_args()
    programs = {"vdla": arguments.vdla, "FileCheck": arguments.filecheck, "%s": str(arguments.file)}
    lines = re.findall(r"^#\s*RUN:(.*)$", arguments.file.read_text(), re.MULTILINE)
    if not lines:
        sys.exit(f"{arguments.file} has no RUN line")
    for line in lines:
        command = re.sub(r"(?<![\w.=-])(vdla|FileCheck)(?![\w.-])|%s", lambda m: shlex.quote(programs[m.group()]), line)
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{arguments.file}: exit status {done.returncode} of\n{line}\n{done.stdout}{done.stderr}")


main()
