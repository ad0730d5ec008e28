# SPDX-License-Identifier: Apache-2.0
"""Outputs of a model here and in an oracle: a process that onnx_oracle.mjs describes."""
import json
import struct
import subprocess
import threading
import zipfile

import npy

# Outputs that are all smaller are compared as if they were this large: oracles approximate exponentials.
SMALL = 1e-3


class Talk:
    """An oracle's process, which is killed after its time."""

    def __init__(self, command, seconds):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.timer = threading.Timer(seconds, self.process.kill)
        self.timer.start()

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            error = self.process.stderr.read().decode(errors="replace").strip()
            told = [line for line in error.splitlines() if "rror" in line or "annot" in line] or [error or "no answer"]
            raise LookupError(told[0][:200])
        return json.loads(text)

    def ask(self, value):
        self.process.stdin.write((json.dumps(value) + "\n").encode())
        self.process.stdin.flush()
        return self.line()

    def end(self):
        self.timer.cancel()
        self.process.kill()
        self.process.communicate()


def distance(ours, theirs):
    """Of floats, the largest difference relative to the largest magnitude, or to SMALL; of integers, in steps."""
    if len(ours) != len(theirs):
        return float("inf")
    if not any(isinstance(x, float) for x in theirs):
        return max((abs(a - b) for a, b in zip(ours, theirs)), default=0)
    finite = [abs(x) for x in theirs if abs(x) < float("inf")]
    size = max([*finite, SMALL])
    differences = [abs(a - b) for a, b in zip(ours, theirs) if not (a == b or (a != a and b != b))]
    return max((float("inf") if d != d else d / size for d in differences), default=0.0)


def by_name(archive, names):
    """Parts of each array of the archive, by these names where all are known there, else by order."""
    there = archive.namelist()
    if len(there) != len(names):
        raise LookupError(f"the kit has {len(there)} ports where the oracle has {len(names)}")
    wanted = [f"{name}.npy" for name in names]
    return [npy.parts(archive.read(name)) for name in (wanted if set(wanted) == set(there) else there)]


def bound(flags):
    """Inputs that flags of compile make constants, as the oracle takes them: scalars and lists of int64."""
    for flag, value in zip(flags, flags[1:]):
        if flag == "--bind":
            name, numbers = value.split("=")
            numbers = [int(n) for n in numbers.split(",")]
            yield name, ("int64", [len(numbers)][:len(numbers) - 1], struct.pack(f"<{len(numbers)}q", *numbers))


def answer(command, folder, model, flags, seconds):
    """(name, type, values) of each output in the oracle; LookupError where it has none."""
    talk = Talk([*command, str(model), str(folder)], seconds)
    try:
        names, constant, given = talk.line(), dict(bound(flags)), []
        with zipfile.ZipFile(folder / "inputs.npz") as archive:
            drawn = iter(by_name(archive, [name for name in names if name not in constant]))
        for i, name in enumerate(names):
            kind, shape, data = constant[name] if name in constant else next(drawn)
            (folder / f"input{i}").write_bytes(data)
            given.append({"type": kind, "shape": shape, "file": f"input{i}"})
        told = talk.ask(given)
    finally:
        talk.end()
    return [(about["name"], about["type"], npy.values(about["type"], (folder / about["file"]).read_bytes()))
            for about in told]


def ours(folder, theirs):
    """The kit's outputs as answer() has the oracle's, in their order."""
    with zipfile.ZipFile(folder / "outputs.npz") as archive:
        names = [name for name, _, _ in theirs]
        return [(name, kind, npy.values(kind, data)) for name, (kind, _, data) in zip(names, by_name(archive, names))]


def distances(have, want):
    """(largest distance of floats, of integers) between two answers."""
    largest = {True: 0.0, False: 0}
    for (_, _, some), (_, kind, others) in zip(have, want):
        floats = kind.startswith("float")
        largest[floats] = max(largest[floats], distance(some, others))
    return largest[True], largest[False]
