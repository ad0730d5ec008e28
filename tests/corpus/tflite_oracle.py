#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one TFLite model on TensorFlow Lite's C library for run.py, which onnx_oracle.mjs describes."""
import ctypes
import json
import pathlib
import sys

# Codes of element types in the library's interface.
TYPES = {1: "float32", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16", 9: "int8", 10: "float16"}


class Library:
    """Functions of the C interface, each with the type of its result; handles are pointers."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def __call__(self, name, *arguments, result=ctypes.c_void_p):
        function = getattr(self.library, "TfLite" + name)
        function.restype = result
        return function(*(ctypes.c_void_p(x) if isinstance(x, int) and x > 0xffffffff else x for x in arguments))


def described(call, tensor):
    rank = call("TensorNumDims", tensor, result=ctypes.c_int32)
    return {"name": call("TensorName", tensor, result=ctypes.c_char_p).decode(),
            "type": TYPES[call("TensorType", tensor, result=ctypes.c_int)],
            "shape": [call("TensorDim", tensor, i, result=ctypes.c_int32) for i in range(rank)],
            "bytes": call("TensorByteSize", tensor, result=ctypes.c_size_t)}


def done(status, what):
    if status != 0:
        sys.exit(f"TensorFlow Lite cannot {what}")


def main():
    library, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    call = Library(library)
    network = call("ModelCreateFromFile", model.encode())
    options = call("InterpreterOptionsCreate")
    run = network and call("InterpreterCreate", network, options)
    if not run:
        sys.exit("TensorFlow Lite cannot read it")
    done(call("InterpreterAllocateTensors", run, result=ctypes.c_int), "allocate its tensors")
    count = call("InterpreterGetInputTensorCount", run, result=ctypes.c_int32)
    inputs = [call("InterpreterGetInputTensor", run, i) for i in range(count)]
    names = [described(call, tensor)["name"] for tensor in inputs]
    print(json.dumps(names), flush=True)
    given = json.loads(sys.stdin.readline())
    for name, tensor in zip(names, inputs):
        data = (folder / given[name]["file"]).read_bytes()
        done(call("TensorCopyFromBuffer", tensor, data, ctypes.c_size_t(len(data)), result=ctypes.c_int),
             f"take {len(data)} bytes for its input {name}")
    done(call("InterpreterInvoke", run, result=ctypes.c_int), "run it")
    answer = {}
    for i in range(call("InterpreterGetOutputTensorCount", run, result=ctypes.c_int32)):
        tensor = call("InterpreterGetOutputTensor", run, i)
        about = described(call, tensor)
        data = ctypes.string_at(call("TensorData", tensor), about.pop("bytes"))
        (folder / f"output{i}").write_bytes(data)
        answer[about.pop("name")] = {**about, "file": f"output{i}"}
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
