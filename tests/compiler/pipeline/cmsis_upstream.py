#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of CMSIS-NN's operator cases on all integer cases of a repository of CMSIS-NN.

The headers of each case become a file of the form that the data folder has (`cmsis_nn/json`), in a folder that takes
the place of VDLA_DATA. A case's operator is that of the unit test that includes its headers. Cases of floats are left
out.

usage: cmsis_upstream.py --repository GIT TEST ...      a TEST: a program and a pattern of its tests, PROGRAM:PATTERN
       cmsis_upstream.py --repository GIT --compare FOLDER   the cases that FOLDER has as well must be the same"""
import argparse
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

CASES = "Tests/UnitTest/TestCases/"
# The names of unit tests, without test_arm_ and types; longest first.
OPERATORS = {"convolve": "conv", "grouped_convolve": "conv", "depthwise_conv": "depthwise_conv", "avgpool": "avg_pool",
             "max_pool": "max_pool", "elementwise_add": "add", "elementwise_mul": "mul", "svdf": "svdf",
             "fully_connected": "fully_connected", "batch_matmul": "batch_matmul", "lstm_unidirectional": "lstm",
             "softmax": "softmax", "maximum_minimum": "", "transpose": "transpose", "transpose_conv": "transpose_conv",
             "reverse_transpose_conv": "transpose_conv", "pad": "pad", "ds_cnn": "network"}
DEFINE = re.compile(r"^#define +(\w+) +(.+)$", re.M)
ARRAY = re.compile(r"\b(int\d+)_t\s+(\w+)\s*\[[^]]*\]\s*=\s*\{([^}]*)\}")
INPUTS = ("input", "input_tensor", "input1", "input_tensor_1", "lhs_input_tensor", "input_sequence")


def text_files(repository):
    """Contents of the unit tests' files by path, below CASES."""
    archive = subprocess.run(["git", "-C", repository, "archive", "HEAD", CASES], check=True, stdout=subprocess.PIPE)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        return {member.name.removeprefix(CASES): files.extractfile(member).read().decode()
                for member in files if member.name.endswith((".h", ".c"))}


def unit_tests(files):
    """The unit test of each case, without test_arm_; a case that none includes has that of its name with a number."""
    found = {}
    for path, text in files.items():
        if path.endswith(".c"):
            for case in re.findall(r'#include "\.\./TestData/(\w+)/test_data\.h"', text):
                found[case] = path.split("/")[0].removeprefix("test_arm_")
    for path in files:
        case = path.split("/")[1]
        if path.endswith("/test_data.h") and case not in found and f"{case}_1" in found:
            found[case] = found[f"{case}_1"]
    return found


def operator(case, unit_test):
    fitting = [name for name in OPERATORS if re.match(rf"{name}(_|$)", unit_test)]
    if not fitting:
        sys.exit(f"{case}: no operator is known for test_arm_{unit_test}")
    return OPERATORS[max(fitting, key=len)] or case.split("_")[0]


def read_case(files, case, unit_test):
    """The case as a file of the data folder has it, or None for one of floats."""
    if re.search(r"_(f16|f32)(_|$)", unit_test):
        return None
    headers = re.findall(r'#include "(\w+\.h)"', files[f"TestData/{case}/test_data.h"])
    text = "\n".join(files[f"TestData/{case}/{header}"] for header in headers).replace("\\\n", " ")
    strip = lambda name, prefix: name[len(prefix):] if name.startswith(prefix) else name
    params = {}
    for name, value in DEFINE.findall(text):
        value = " ".join(value.split("//")[0].split())
        params[strip(name, case.upper() + "_")] = int(value) if re.fullmatch(r"-?\d+", value) else value
    tensors = {}
    for kind, name, values in ARRAY.findall(text):
        data = [int(value) for value in re.findall(r"-?\d+", values)]
        tensors[strip(name, case + "_")] = {"type": kind, "size": len(data), "data": data}
    first = next(name for name in INPUTS if name in tensors)
    four = "_s4" in unit_test
    return {"case": case, "op": operator(case, unit_test), "activation": tensors[first]["type"],
            "weights": "int4 packed (2 per byte)" if four else "int8", "params": params, "tensors": tensors}


def write_cases(repository, folder):
    files = text_files(repository)
    count = 0
    for case, unit_test in sorted(unit_tests(files).items()):
        found = read_case(files, case, unit_test)
        if found:
            (folder / f"{case}.json").write_text(json.dumps(found))
            count += 1
    if count == 0:
        sys.exit(f"{repository} has no cases below {CASES}")
    return count


def plain(value):
    """Numbers as they are, texts with single spaces."""
    return {key: " ".join(v.split()) if isinstance(v, str) else v for key, v in value.items()} if isinstance(value, dict) else value


def compare(made, folder):
    """Cases of both folders whose numbers differ."""
    differ, both = [], 0
    for file in sorted(folder.glob("*.json")):
        of_folder = json.loads(file.read_text())
        if not (made / file.name).exists():
            differ.append(f"{file.stem}: not in the repository")
            continue
        both += 1
        of_made = json.loads((made / file.name).read_text())
        for key in ("activation", "weights", "params", "tensors"):
            if plain(of_made[key]) != plain(of_folder[key]):
                differ.append(f"{file.stem}: {key}")
    print(f"{both} cases of both, {len(differ)} differ", *differ, sep="\n")
    return 1 if differ else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", required=True, type=pathlib.Path, help="of CMSIS-NN, with or without a work tree")
    parser.add_argument("--compare", type=pathlib.Path, help="a folder of cases")
    parser.add_argument("tests", nargs="*", metavar="PROGRAM:PATTERN")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "cmsis_nn/json"
        folder.mkdir(parents=True)
        print(f"{write_cases(arguments.repository, folder)} cases of {arguments.repository}", flush=True)
        failed = compare(folder, arguments.compare) if arguments.compare else 0
        for test in arguments.tests:
            program, pattern = test.split(":", 1)
            failed |= subprocess.run([program, f"--gtest_filter={pattern}"],
                                     env={**os.environ, "VDLA_DATA": temporary}).returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
