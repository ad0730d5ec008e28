#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The driver over UIO as a static program of a board's CPU: it is built without a warning, and runs on a folder that
looks like the board's /sys and /dev.

usage: uio_static_test.py ROOT armhf|arm64|x86-64   exit status 77 and the reason where a compiler or QEMU is missing
"""
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

# Compiler, and what runs its programs here.
MACHINES = {"armhf": ("arm-linux-gnueabihf-gcc", ["qemu-arm"]), "arm64": ("aarch64-linux-gnu-gcc", ["qemu-aarch64"]), "x86-64": ("cc", [])}
FLAGS = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-static"]
PAGE = 4096
MAGIC, VERSION, IDLE = 0x414C4456, 77, 1


def make_tree(root):
    """uio0, an idle device with four pages of memory."""
    files = {"name": "vdla", "maps/map0/name": "registers", "maps/map0/addr": "0xa0000000", "maps/map0/size": "0x1000",
             "maps/map1/name": "memory", "maps/map1/addr": "0x70000000", "maps/map1/size": "0x4000"}
    for name, text in files.items():
        path = root / "sys/class/uio/uio0" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    registers = struct.pack("<6I", MAGIC, VERSION, 0, 0, 0, IDLE)
    (root / "dev").mkdir()
    (root / "dev/uio0").write_bytes(registers.ljust(5 * PAGE, b"\0"))


def main(root, machine):
    compiler, emulator = MACHINES[machine]
    for tool in [compiler, *emulator]:
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed (scripts/packages/test.txt)")
            return 77
    sources = sorted(file for folder in ("core", "linux", "memory", "uio") for file in (root / "driver" / folder).glob("*.c"))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        program = work / "uio_probe"
        subprocess.run([compiler, *FLAGS, "-I", root, *sources, root / "tests/driver/uio_probe.c", "-o", program], check=True)
        tree = work / "tree"
        make_tree(tree)
        said = subprocess.run([*emulator, program, tree], capture_output=True, text=True, timeout=60)
        print(said.stdout, said.stderr, sep="")
        if (said.returncode, said.stdout) != (0, f"ISA version {VERSION}, memory at 0x70000000\n"):
            return 1
        (tree / "sys/class/uio/uio0/name").write_text("gpio\n")
        said = subprocess.run([*emulator, program, tree], capture_output=True, text=True, timeout=60)
        return 0 if said.returncode == 1 and said.stdout.startswith("no UIO device is named 'vdla'") else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))
