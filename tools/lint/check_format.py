#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sources of C and C++ stand as clang-format 19 writes them (.clang-format, .clang-format-ignore). Ends with status 77
where the formatter is not installed.

usage: check_format.py [ROOT]
"""
import pathlib
import re
import shutil
import subprocess
import sys

from check_sources import TOPS

FORMATTER = "clang-format-19"
SKIPPED = 77


def main(root):
    if not shutil.which(FORMATTER):
        print(f"left out, because package {FORMATTER} is not installed")
        return SKIPPED
    sources = [path.relative_to(root).as_posix() for top in TOPS for path in sorted((root / top).rglob("*"))
               if path.suffix in {".c", ".cpp", ".h"}]
    run = subprocess.run([FORMATTER, "--dry-run", "--Werror", *sources], cwd=root, capture_output=True, text=True)
    wrong = sorted(set(re.findall(r"^([^:\n]+):\d+:\d+: error: ", run.stderr, re.M)))
    for name in wrong:
        print(f"{name}: not as {FORMATTER} writes it; {FORMATTER} -i {name} changes it")
    if run.returncode and not wrong:
        print(run.stderr)
    return 1 if run.returncode else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
