#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes models.tsv: every model under 4 MiB of the repositories of repositories.tsv, once for equal contents.

The format is what the file stores. Flags of a model that stood in models.tsv are
kept: they say extents that the file leaves free."""
import argparse
import hashlib
import pathlib
import struct

import repositories

MOST_BYTES = 4 << 20
# Codes of TensorType in TFLite's schema.
FLOAT16, UINT8, INT16, INT8 = 1, 3, 7, 9


class Table:
    """A table of a flat buffer: fields by their number."""

    def __init__(self, data, place):
        self.data, self.place = data, place
        self.fields = place - struct.unpack_from("<i", data, place)[0]
        self.bytes = struct.unpack_from("<H", data, self.fields)[0]

    def field(self, number):
        """Place of a field, or None where it has its default."""
        if 4 + 2 * number >= self.bytes:
            return None
        offset = struct.unpack_from("<H", self.data, self.fields + 4 + 2 * number)[0]
        return self.place + offset if offset else None

    def scalar(self, number, code, default=0):
        place = self.field(number)
        return default if place is None else struct.unpack_from("<" + code, self.data, place)[0]

    def tables(self, number):
        place = self.field(number)
        if place is None:
            return []
        place += struct.unpack_from("<I", self.data, place)[0]
        count = struct.unpack_from("<I", self.data, place)[0]
        at = [place + 4 + 4 * i for i in range(count)]
        return [Table(self.data, p + struct.unpack_from("<I", self.data, p)[0]) for p in at]


def tflite_format(data):
    model = Table(data, struct.unpack_from("<I", data)[0])
    filled = [buffer.field(0) is not None or buffer.field(1) is not None for buffer in model.tables(4)]
    constant, computed = set(), set()
    for tensor in model.tables(2)[0].tables(0):
        kind = tensor.scalar(1, "b")
        (constant if filled[tensor.scalar(2, "I")] else computed).add(kind)
    if INT16 in computed and INT8 in constant:
        return "TFLite int16"
    if computed & {INT8, UINT8}:
        return "TFLite int8"
    if constant & {INT8, UINT8}:
        return "TFLite float, int8 weights"
    return "TFLite float, float16 weights" if FLOAT16 in constant else "TFLite float"


def onnx_format(data):
    if b"qonnx" in data or b"onnx.brevitas" in data or b"finn.custom" in data:
        return "ONNX of few bits"
    integer = (b"QuantizeLinear", b"QLinearConv", b"QLinearMatMul", b"MatMulInteger", b"ConvInteger")
    return "ONNX int8" if any(word in data for word in integer) else "ONNX float"


def is_model(path, data):
    """Whether the file is what its name says: not a pointer of Git LFS, or a page in the place of a file."""
    return data[4:8] == b"TFL3" if path.endswith(".tflite") else not data.startswith(b"version https://git-lfs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repositories", type=pathlib.Path, required=True, help="folder with the repositories")
    arguments = parser.parse_args()
    kept = {}
    if repositories.MODELS.exists():
        kept = {(m["repository"], m["path"]): m["flags"] for m in repositories.rows(repositories.MODELS)}
    seen, lines = set(), ["repository\tpath\tformat\tbytes\tsha256\tflags"]
    for repository in repositories.rows(repositories.REPOSITORIES):
        git = repositories.find(arguments.repositories, repository["repository"])
        if git is None:
            parser.error(f"{repository['repository']} does not stand in {arguments.repositories}")
        for path in repositories.files(git, repository["commit"], MOST_BYTES):
            data = repositories.content(git, repository["commit"], path)
            digest = hashlib.sha256(data).hexdigest()
            if digest in seen or not is_model(path, data):
                continue
            seen.add(digest)
            form = tflite_format(data) if path.endswith(".tflite") else onnx_format(data)
            flags = kept.get((repository["repository"], path), "")
            lines.append("\t".join((repository["repository"], path, form, str(len(data)), digest, flags)))
    repositories.MODELS.write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} models")


if __name__ == "__main__":
    main()
