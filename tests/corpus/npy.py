# SPDX-License-Identifier: Apache-2.0
"""Arrays of .npy files by the standard library alone."""
import ast
import array
import struct

TYPES = {"f4": "float32", "f8": "float64", "f2": "float16", "i1": "int8", "u1": "uint8", "i2": "int16", "u2": "uint16",
         "i4": "int32", "u4": "uint32", "i8": "int64", "u8": "uint64", "b1": "bool"}
CODES = {"float32": "f", "float64": "d", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
         "uint32": "I", "int64": "q", "uint64": "Q", "bool": "B"}


def parts(file):
    """Element type, shape and data of a file's bytes."""
    wide = file[6] >= 2
    length, begin = struct.unpack_from("<I" if wide else "<H", file, 8)[0], 12 if wide else 10
    header = ast.literal_eval(file[begin:begin + length].decode())
    return TYPES[header["descr"][1:]], list(header["shape"]), file[begin + length:]


def values(kind, data):
    if kind == "float16":
        return list(struct.unpack(f"<{len(data) // 2}e", data))
    return array.array(CODES[kind], data).tolist()


def file_of(kind, shape, data):
    """Bytes of an .npy file."""
    code = next(code for code, name in TYPES.items() if name == kind)
    order = "|" if code[1] == "1" else "<"
    header = f"{{'descr': '{order}{code}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header = header.ljust(-(len(header) + 11) % 64 + len(header)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def drawn(draw, kind, count, has_scale):
    """Uniform elements as bytes: reals from -1 to 1, all numbers of a quantised type, 0 and 1 of others."""
    if kind in ("float16", "float32", "float64"):
        code = "e" if kind == "float16" else CODES[kind]
        return struct.pack(f"<{count}{code}", *(draw.uniform(-1, 1) for _ in range(count)))
    if has_scale and kind in ("int8", "uint8"):
        return draw.randbytes(count)
    size = array.array(CODES[kind]).itemsize
    return b"".join(draw.randrange(2).to_bytes(size, "little") for _ in range(count))
