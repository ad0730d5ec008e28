#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one TFLite model on TensorFlow Lite's C library, or on TFLite Micro behind the same functions
(bench/tensorflow_lite), for run.py; onnx_oracle.mjs says how they talk. Tensors without names have null."""
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


def named(call, tensor):
    if not hasattr(call.library, "TfLiteTensorName"):
        return None
    return call("TensorName", tensor, result=ctypes.c_char_p).decode()


def described(call, tensor):
    rank = call("TensorNumDims", tensor, result=ctypes.c_int32)
    return {"name": named(call, tensor),
            "type": TYPES[call("TensorType", tensor, result=ctypes.c_int)],
            "shape": [call("TensorDim", tensor, i, result=ctypes.c_int32) for i in range(rank)],
            "bytes": call("TensorByteSize", tensor, result=ctypes.c_size_t)}


def done(status, what):
    if status != 0:
        sys.exit(f"TensorFlow Lite cannot {what}")


def main():
    library, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    call = Library(library)
    file = pathlib.Path(model).read_bytes()  # the library reads it while it runs
    network = call("ModelCreate", file, ctypes.c_size_t(len(file)))
    options = call("InterpreterOptionsCreate")
    run = network and call("InterpreterCreate", network, options)
    if not run:
        sys.exit("TensorFlow Lite cannot read it")
    done(call("InterpreterAllocateTensors", run, result=ctypes.c_int), "allocate its tensors")
    count = call("InterpreterGetInputTensorCount", run, result=ctypes.c_int32)
    inputs = [call("InterpreterGetInputTensor", run, i) for i in range(count)]
    print(json.dumps([named(call, tensor) for tensor in inputs]), flush=True)
    for given, tensor in zip(json.loads(sys.stdin.readline()), inputs):
        data, needed = (folder / given["file"]).read_bytes(), described(call, tensor)["bytes"]
        if len(data) != needed:
            sys.exit(f"TensorFlow Lite cannot take {len(data)} bytes for an input, needs {needed}")
        ctypes.memmove(call("TensorData", tensor), data, needed)
    done(call("InterpreterInvoke", run, result=ctypes.c_int), "run it")
    answer = []
    for i in range(call("InterpreterGetOutputTensorCount", run, result=ctypes.c_int32)):
        tensor = call("InterpreterGetOutputTensor", run, i)
        about = described(call, tensor)
        (folder / f"output{i}").write_bytes(ctypes.string_at(call("TensorData", tensor), about["bytes"]))
        answer.append({**about, "file": f"output{i}"})
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
