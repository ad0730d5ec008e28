#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vdla-board-server as its owner starts it: desks get the bytes of the run in process, over plaintext and mTLS; what is
refused has a sentence; a lease's process that dies is named; SIGTERM leaves nothing.

usage: server_test.py VDLA SERVER SOURCE CPU EMULATOR   CPU, EMULATOR: of another machine, "" for this one; exit status 77: skipped, the
line says why
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
MOST_BYTES = {"armv7": 10_000_000, "aarch64": 14_000_000}  # of the program, with mTLS
DIGITS = "examples/digits/digits.onnx"


class Server:
    """On a free port of the loopback address."""

    def __init__(self, command, folder, *words):
        self.log = (folder / "server.log").open("w+")
        cache = ["--cache", folder / "cache"]
        self.process = subprocess.Popen([*command, "--listen", "127.0.0.1:0", "--json", *cache, "--engine", "functional", *words],
                                        stdout=subprocess.PIPE, stderr=self.log, text=True)
        said = json.loads(self.process.stdout.readline())
        assert "address" in said, said
        self.address = said["address"]

    def __enter__(self):
        return self

    def processes(self):
        """Of the leases, and the one that makes them."""
        below, found = [self.process.pid], []
        while below:
            pid = below.pop()
            children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            below += children
            found += map(int, children)
        return found

    def lease_process(self):
        """Of the next lease, when the last one has ended."""
        begin = time.monotonic()
        log = pathlib.Path(self.log.name)
        while log.read_text().count("leased to") != log.read_text().count("given back"):
            assert time.monotonic() < begin + 10, log.read_text()
            time.sleep(0.01)
        return self.processes()[-1]

    def __exit__(self, *_):
        left = self.processes()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == -signal.SIGTERM
        begin = time.monotonic()
        while any(os.path.exists(f"/proc/{pid}") for pid in left):
            assert time.monotonic() < begin + 10, f"processes of {left} are left"
            time.sleep(0.01)
        self.log.close()


def vdla(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, (done.returncode, words, done.stdout, done.stderr)
    return done


def check_runs(command, program, modules, folder):
    with Server(program, folder) as server:
        for module in modules:
            here, there = folder / "here.npy", folder / "there.npy"
            vdla(command, "run", module, "--random-input", "3", "--engine", "functional", "--output", here)
            begin = time.monotonic()
            vdla(command, "run", module, "--random-input", "3", "--board", server.address, "--output", there)
            print(f"{module.name}: {time.monotonic() - begin:.1f} s at the board")
            assert there.read_bytes() == here.read_bytes(), module
        if len(program) == 1:  # under an emulator it takes 6 s
            vdla(command, "board", "selftest", "--board", server.address)
        run = [command, "run", modules[0], "--random-input", "3", "--board", server.address]
        assert "--interpret needs" in vdla(*run, "--interpret", status=1).stderr
        os.kill(server.lease_process(), signal.SIGKILL)
        assert "signal 9 (Killed)" in vdla(*run, status=1).stderr
        vdla(*run)


def check_certificates(command, program, module, folder):
    lab = folder / "lab"
    vdla(command, "board", "certificates", lab, "--host", "127.0.0.1", "--client", "ann")
    with Server(program, folder, "--certificates", lab) as server:
        run = [command, "run", module, "--random-input", "3", "--board", server.address]
        vdla(*run, "--certificates", lab)
        assert "--certificates" in vdla(*run, status=1).stderr
        assert "leased to 'ann'" in (folder / "server.log").read_text()


def check_refusals(program, folder):
    for words, status, sentence in (
        ([], 2, "--cache is required"),
        (["--cache", folder / "c", "--uio", "nosuch"], 1, "nosuch"),
        (["--cache", folder / "c", "--engine", "rtl"], 2, "--engine"),
        (["--cache", folder / "c", "--engine", "functional", "--variant", "nosuch"], 1, "nosuch"),
        (["--cache", folder / "c", "--engine", "functional", "--listen", "0.0.0.0:0"], 1, "needs --certificates"),
        (["--cache", folder / "c", "--nonsense"], 2, "--nonsense"),
    ):
        said = vdla(*program, *words, status=status).stderr
        assert said.startswith("vdla-board-server: error: ") and sentence in said, (words, said)


def check_output_that_does_not_arrive(program):
    """What the server printed last was written when nothing was left to write it with."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([*program, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 1, done
    assert done.stderr == "vdla-board-server: error: cannot write to standard output: No space left on device\n", done


def check_page(command, program, source):
    """What the page about remote boards tells its readers to type is what the program takes."""
    helps = {"vdla-board-server": vdla(*program, "--help").stdout,
             "tools/runner/build_runner.sh": vdla(pathlib.Path(source, "tools/runner/build_runner.sh"), "--help").stdout}
    page = pathlib.Path(source, "docs/how-to/remote-boards.md").read_text()
    lines = [line.split("#")[0] for block in page.split("```sh")[1:] for line in block.split("```")[0].splitlines()]
    found = [(name, word) for line in lines for name in helps if line.startswith(name) for word in line.split() if word.startswith("-")]
    assert {name for name, _ in found} == set(helps), found
    for name, word in found:
        assert word in re.split(r"[\s,\[\]|=]+", helps[name]), (name, word)


def main(command, program, source, cpu, emulator):
    if emulator and not shutil.which(emulator):
        print(f"skipped: {emulator} is missing: install qemu-user")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server = [emulator, program] if emulator else [program]
        modules = []
        for words in ([], ["--target", "cpu"]):
            modules.append(folder / f"digits{len(modules)}.vdla")
            target = ["--cpu-target", f"{cpu},{os.uname().machine.replace('_', '-')}"] if cpu else []
            vdla(command, "compile", pathlib.Path(source, DIGITS), "-o", modules[-1], "--variant", "tiny", *words, *target)
        check_runs(command, server, modules, folder)
        check_certificates(command, server, modules[0], folder)
        check_refusals(server, folder)
        check_output_that_does_not_arrive(server)
        check_page(command, server, source)
        if cpu:
            size = os.path.getsize(program)
            assert size <= MOST_BYTES[cpu], size
            print(f"{size} bytes")
    print("vdla-board-server: all right")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
