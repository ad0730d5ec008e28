#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names the first operators of a TFLite model whose results differ from an oracle's: prints each operator with inputs
that are equal in both and an output that is not, with the largest difference.

All results of operators become outputs of the file for that, in the order of the operators, here and in the oracle.
With --alone, each of these operators is a file of its own, on drawn inputs, which is held against another oracle."""
import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

import oracle
import run


class Table:
    """A table of a flat buffer: fields by number."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.fields = at - struct.unpack_from("<i", data, at)[0]

    def place(self, field):
        """Place of the field, or None where it has its default."""
        size = struct.unpack_from("<H", self.data, self.fields)[0]
        offset = struct.unpack_from("<H", self.data, self.fields + 4 + 2 * field)[0] if 4 + 2 * field < size else 0
        return self.at + offset if offset else None

    def number(self, field, kind):
        place = self.place(field)
        return struct.unpack_from("<" + kind, self.data, place)[0] if place else 0

    def items(self, field):
        """Place of the items of a vector, and their number."""
        place = self.place(field)
        if not place:
            return 0, 0
        begin = place + struct.unpack_from("<I", self.data, place)[0]
        return begin + 4, struct.unpack_from("<I", self.data, begin)[0]

    def numbers(self, field):
        begin, count = self.items(field)
        return list(struct.unpack_from(f"<{count}i", self.data, begin))

    def tables(self, field):
        begin, count = self.items(field)
        return [Table(self.data, p + struct.unpack_from("<I", self.data, p)[0]) for p in range(begin, begin + 4 * count, 4)]


def with_all_outputs(data):
    """The file with the results of all operators of its first subgraph as outputs, and (number of the operator's kind,
    inputs, outputs) of each."""
    model = Table(data, struct.unpack_from("<I", data, 0)[0])
    graph = model.tables(2)[0]
    codes = [max(code.number(0, "b"), code.number(3, "i")) for code in model.tables(1)]
    operators = [(codes[o.number(0, "I")], o.numbers(1), o.numbers(2)) for o in graph.tables(3)]
    wanted = [t for _, _, outputs in operators for t in outputs if t >= 0]
    changed = bytearray(data)
    changed += bytes(-len(changed) % 4)
    place = graph.place(2)
    struct.pack_into("<I", changed, place, len(changed) - place)
    changed += struct.pack(f"<I{len(wanted)}i", len(wanted), *wanted)
    return bytes(changed), operators, wanted


def with_one_operator(data, number):
    """The file with that operator of its first subgraph alone; what it reads and is no constant is an input."""
    model = Table(data, struct.unpack_from("<I", data, 0)[0])
    graph, buffers = model.tables(2)[0], model.tables(4)
    operator, tensors = graph.tables(3)[number], graph.tables(0)
    constant = {i for i, tensor in enumerate(tensors) if buffers[tensor.number(2, "I")].items(0)[1] > 0}
    changed = bytearray(data)
    begin, _ = graph.items(3)
    struct.pack_into("<II", changed, begin - 4, 1, operator.at - begin)
    given = [t for t in dict.fromkeys(operator.numbers(1)) if t >= 0 and t not in constant]
    for field, listed in ((1, given), (2, operator.numbers(2))):
        changed += bytes(-len(changed) % 4)
        place = graph.place(field)
        struct.pack_into("<I", changed, place, len(changed) - place)
        changed += struct.pack(f"<I{len(listed)}i", len(listed), *listed)
    return bytes(changed)


def answers(flags, data, library):
    """The results of the kit and of the oracle for the file on drawn inputs."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        file, module = folder / "one.tflite", folder / "one.vdla"
        file.write_bytes(data)
        subprocess.run([flags.vdla, "compile", file, "-o", module, "--target", "cpu"], check=True, stdout=subprocess.DEVNULL)
        run.draw_inputs(flags.vdla, folder, module, flags.seconds)
        subprocess.run([flags.vdla, "run", module, "--input", folder / "inputs.npz", "--output", folder / "outputs.npz"],
                       check=True, stdout=subprocess.DEVNULL)
        command = [sys.executable, pathlib.Path(__file__).parent / "tflite_oracle.py", library]
        theirs = oracle.answer(command, folder, file, [], flags.seconds)
        return oracle.ours(folder, theirs), theirs


def said(have, want):
    """How far two values of a result are from each other, as text."""
    return f"{sum(a != b for a, b in zip(have, want))} of {len(want)} elements, by {oracle.distance(have, want):.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--vdla", required=True)
    parser.add_argument("--tflite-oracle", metavar="LIBRARY", required=True, help="TFLite Micro or TensorFlow Lite's C library")
    parser.add_argument("--alone", metavar="LIBRARY", action="append", default=[], help="the other oracle")
    parser.add_argument("--seconds", type=int, default=300, help="of processor for each command")
    parser.add_argument("--most", type=int, default=8, help="operators that are printed")
    flags = parser.parse_args()
    changed, operators, wanted = with_all_outputs(flags.model.read_bytes())
    ours, theirs = answers(flags, changed, flags.tflite_oracle)
    differs = {tensor: oracle.distance(have[2], want[2]) for tensor, have, want in zip(wanted, ours, theirs)}
    first = [(number, kind, outputs) for number, (kind, inputs, outputs) in enumerate(operators)
             if any(differs.get(t) for t in outputs) and not any(differs.get(t) for t in inputs)]
    for number, kind, outputs in first[:flags.most]:
        for tensor in outputs:
            at = wanted.index(tensor)
            print(f"operator {number} (builtin {kind}), tensor {tensor}: {said(ours[at][2], theirs[at][2])}")
        for library in flags.alone:
            try:
                results = zip(*answers(flags, with_one_operator(flags.model.read_bytes(), number), library))
                print(f"  alone, {library}: " + "; ".join(said(have[2], want[2]) for have, want in results))
            except (LookupError, subprocess.CalledProcessError) as error:
                print(f"  alone, {library}: {error}")
    print(f"{len(first)} of {len(operators)} operators differ with equal inputs, {sum(d != 0 for d in differs.values())} "
          f"of {len(wanted)} results differ")
    return 1 if first else 0


if __name__ == "__main__":
    sys.exit(main())
