#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vdla-run as users call it: outputs are the bytes of vdla run, for layers on the device (its functional engine), on
the CPU, and both.

usage: runner_test.py VDLA RUNNER SOURCE CPU EMULATOR NETWORK...   CPU, EMULATOR: of another machine, "" for this one; NETWORK: a row of
NETWORKS; exit status 77: skipped, the line says why
"""
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
MOST_BYTES = {"armv7": 1_500_000, "aarch64": 2_200_000}  # of the program
DIGITS = "examples/digits/digits.onnx"  # of the source; the other networks are of VDLA_DATA
# What is compiled, how, and bytes of input (int8 or uint8; digits has floats).
NETWORKS = {
    "digits": (DIGITS, [], 0),
    "digits_cpu": (DIGITS, ["--target", "cpu"], 0),
    "resnet8": ("mlperf_tiny/models/pretrainedResnet_quant.tflite", ["--place", "conv_2d_4=cpu"], 3 * 32 * 32),
    "mobilenet_v1": ("mlperf_tiny/models/vww_96_int8.tflite", [], 3 * 96 * 96),
    "mobilenet_v1_224": ("imagenet/models/mobilenet_v1_0.25_224_quant.tflite", [], 3 * 224 * 224),
}


class Runner:
    def __init__(self, vdla, command, cpu, folder):
        self.vdla, self.command, self.folder = vdla, command, folder
        self.target = ["--cpu-target", cpu] if cpu else []

    def compile(self, model, module, words):
        subprocess.run([self.vdla, "compile", model, "-o", module, "--variant", "tiny", *words], check=True, capture_output=True)
        return module

    def run(self, *words, status=0):
        done = subprocess.run([*self.command, *words], capture_output=True, text=True, timeout=280)
        assert done.returncode == status, (done.returncode, words, done.stdout, done.stderr)
        return done


def write_input(path, count):
    numbers = random.Random(5)
    if count:
        path.write_bytes(numbers.randbytes(count))
    else:
        path.write_bytes(struct.pack("<64f", *(numbers.choice(range(17)) for _ in range(64))))
    return path


def check_network(runner, name, source):
    """The same bytes as here, where this machine's own code computes the layers on the CPU."""
    model, words, count = NETWORKS[name]
    model = pathlib.Path(source if model == DIGITS else os.environ["VDLA_DATA"], model)
    raw = write_input(runner.folder / "input.bin", count)
    there, here = runner.folder / "there.npy", runner.folder / "here.npy"
    module = runner.compile(model, runner.folder / f"{name}.vdla", [*words, *runner.target])
    own = runner.compile(model, runner.folder / f"{name}_own.vdla", words) if runner.target else module
    desk = subprocess.run([runner.vdla, "run", own, "--engine", "functional", "--input", raw, "--output", here], capture_output=True,
                          text=True, check=True)
    begin = time.monotonic()
    board = runner.run(module, "--engine", "functional", "--input", raw, "--output", there)
    print(f"{name}: {time.monotonic() - begin:.1f} s, {there.stat().st_size} bytes of output")
    assert there.read_bytes() == here.read_bytes(), name
    shown = [line for line in desk.stdout.splitlines() if line.startswith(("output ", "  "))]
    assert shown and set(shown) <= set(board.stdout.splitlines()), (desk.stdout, board.stdout)
    report = json.loads(runner.run(module, "--engine", "functional", "--input", raw, "--json").stdout) if count < 10000 else None
    if report:
        top = [line.split() for line in board.stdout.splitlines() if line.startswith("  ")][1]
        assert str(report["outputs"][0]["top"][0]["class"]) == top[0], (report, board.stdout)
    return module


def check_refusals(runner, module, other):
    """Each with what to do, status 1 or 2, never a signal; a module for another CPU, broken files, wrong flags, no
    device."""
    folder = runner.folder
    raw = write_input(folder / "input.bin", 0)
    short = folder / "short.bin"
    short.write_bytes(raw.read_bytes()[:-1])
    cut = folder / "cut.vdla"
    cut.write_bytes(module.read_bytes()[:-100])
    fine = ["--input", raw, "--engine", "functional"]
    for words, status, sentence in (
        ([module, "--input", short, "--engine", "functional"], 1, "has 255 bytes, input 'input' needs 256"),
        ([module, "--engine", "functional"], 1, "has 1 inputs, needs --input FILE as often, got 0"),
        ([cut, *fine], 1, "truncated"),
        ([folder / "none.vdla", *fine], 1, "No such file"),
        ([other, *fine], 1, "compile the model for this CPU (vdla compile, --cpu-target)"),
        ([module, "--input", raw, "--uio", "nosuch"], 1, "nosuch"),
        ([module, *fine, "--trust", folder / "none.pub"], 1, "none.pub"),
        ([module, *fine, "--output", folder / "nowhere/out.npy"], 1, "nowhere"),
        ([*fine], 2, "the module (NET.vdla) is missing"),
        ([module, "--engine", "rtl"], 2, "needs functional"),
        ([module, *fine, "--uio", "vdla"], 2, "leave one out"),
        ([module, "--threads", "-1"], 2, "is not a number from 0"),
        (["--describe", "--uio", "nosuch"], 1, "nosuch"),
        (["--describe", module], 2, "--describe is for a device and runs nothing"),
        ([module, "--nonsense"], 2, "there is no option --nonsense"),
        ([module, "-xz"], 2, "there is no option -x,"),
    ):
        said = runner.run(*words, status=status).stderr
        assert said.startswith("vdla-run: error: ") and sentence in said, (words, said)
    assert json.loads(runner.run(cut, *fine, "--json", status=1).stdout)["kind"] == "input"
    page = runner.run("--help").stdout
    assert all(option in page for option in ("--input", "--trust", "example:")), page


def no_number(word):
    raise ValueError(f"{word} is no number of JSON")


def check_json(runner):
    """What JSON has no number for is its name in quotes, and what is no UTF-8 is U+FFFD, as in vdla run."""
    graph, raw = runner.folder / "quotient.txt", runner.folder / "quotient.bin"
    graph.write_bytes(b'graph "q"\ninput %x "x": float32[1, 4]\n'
                      b'%y: float32[1, 4] = map "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc3\\x22\\x5c\\x0a\\x1b</"(%x) {body = "x0 / (x0 - x0)"}\noutput %y\n')
    raw.write_bytes(struct.pack("<4f", -1, 0, 1, float("inf")))
    module = runner.compile(graph, runner.folder / "quotient.vdla", ["--target", "cpu", *runner.target])
    output = json.loads(runner.run(module, "--input", raw, "--json").stdout, parse_constant=no_number)["outputs"][0]
    assert output["name"] == "\u00e4\u20ac\U0001f600\ufffd\ufffd\"\\\n\x1b</", output
    assert output["values"] == ["-Infinity", "NaN", "Infinity", "NaN"] and output["shape"] == [1, 4], output
    assert [row["score"] for row in output["top"]] == ["Infinity", "-Infinity", "NaN", "NaN"], output


def check_page(runner, source):
    """What the page about boards tells its readers to type is what these programs take."""
    page = pathlib.Path(source, "docs/how-to/run-on-an-arm-board.md").read_text()
    lines = [line.split("#")[0] for block in page.split("```sh")[1:] for line in block.split("```")[0].splitlines()]
    helps = {"vdla-run": runner.run("--help").stdout}
    for name, command in (("vdla compile", [runner.vdla, "compile", "--help"]),
                          ("tools/runner/build_runner.sh", [pathlib.Path(source, "tools/runner/build_runner.sh"), "--help"])):
        helps[name] = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in filter(None, lines):
        name = next(name for name in helps if line.startswith(name + " "))
        for word in line.split():
            assert not word.startswith("-") or word in re.split(r"[\s,\[\]|]+", helps[name]), (word, line)


def main(vdla, program, source, cpu, emulator, *networks):
    if emulator and not shutil.which(emulator):
        print(f"skipped: {emulator} is missing: install qemu-user")
        return SKIPPED
    if any(NETWORKS[name][0] != DIGITS for name in networks) and not os.environ.get("VDLA_DATA"):
        print("skipped: VDLA_DATA is not set")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        runner = Runner(vdla, [emulator, program] if emulator else [program], cpu, pathlib.Path(name))
        modules = {network: check_network(runner, network, source) for network in networks}
        if "digits" in networks:
            foreign = runner.folder / "foreign.vdla"
            runner.compile(pathlib.Path(source, DIGITS), foreign, ["--cpu-target", "armv7" if cpu != "armv7" else "aarch64"])
            check_refusals(runner, modules["digits"], foreign)
            check_json(runner)
            check_page(runner, source)
        if cpu:
            size = os.path.getsize(program)
            assert size <= MOST_BYTES[cpu], size
            print(f"{size} bytes")
    print("vdla-run: all right")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
