#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the kit into a temporary folder and uses it as its users do: every header compiles, the examples build
against it and say that their results are right, bin/vdla compiles and runs a network on every engine and builds a
machine, and both find it."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# The line with which each example ends, where there are so many engines.
EXAMPLES = {
    "int8_matmul": "12288 elements are right on {} engines",
    "network_to_session": "all engines give the same bytes",
    "own_intrinsic": "declaration and device agree on 640 elements",
    "own_operator": "row 6: ",
    "own_transport": "the device behind the socket gives the same bytes",
    "power_pooling": "640 powers are right on {} engines",
    "run_from_c": "ran, 0 cycles on the device; the first output begins with byte ",
    "tiled_matmul": "largest difference from plain loops",
    "vector_add": "1000 sums are right",
}

TAKE_A_NETWORK = {"network_to_session", "own_transport"}
TAKE_A_MODULE = {"run_from_c"}


def run(*command, cache=None):
    """`cache`: the folder of the user's caches."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)} if cache else None
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode} of {' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-6000:]}")
    return done.stdout


def check_headers(prefix, compiler, folder):
    """One source that includes all of them: each finds those that it includes."""
    root = prefix / "include/vdla"
    headers = sorted(h.relative_to(root).as_posix() for h in root.rglob("*.h"))
    assert "compiler/expr/dsl.h" in headers and "runtime/session/session.h" in headers, headers
    source = folder / "headers.cpp"
    source.write_text("".join(f'#include "{h}"\n' for h in headers))
    run(compiler, "-std=c++20", "-fsyntax-only", "-I", root, source)


def check_package(prefix, folder, source):
    """No file of the package leads back to where the kit was built."""
    for file in (prefix / "lib/cmake/vdla").iterdir():
        for place in (folder, source):
            assert str(place) not in file.read_text(), f"{file} names {place}"


def check_missing_package(prefix, cmake, source, folder):
    """Without libsodium, find_package says what to install, not that a target is unknown."""
    done = subprocess.run([cmake, "-S", source / "examples", "-B", folder / "missing", f"-DCMAKE_PREFIX_PATH={prefix}",
                           "-DVDLA_SODIUM_INCLUDE="], capture_output=True, text=True)
    said = " ".join(done.stderr.split())
    assert done.returncode != 0 and "apt install libsodium-dev" in said, said


def check_examples(prefix, cmake, source, folder, verilator):
    build = folder / "examples"
    run(cmake, "-S", source / "examples", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run(cmake, "--build", build, "-j", "2")
    assert re.search(r"bind C \S+ vthread", run(build / "int8_matmul/int8_matmul", cache=folder / "empty"))
    network, module = source / "examples/digits/digits.onnx", folder / "on_cpu.vdla"
    run(prefix / "bin/vdla", "compile", network, "--target", "cpu", "-o", module)
    for name, line in EXAMPLES.items():
        arguments = [network] if name in TAKE_A_NETWORK else [module] if name in TAKE_A_MODULE else []
        output = run(build / name / name, *arguments, cache=folder / "empty")
        wanted = line.format(3 if verilator else 2)
        assert wanted in output, f"{name} does not print '{wanted}' but\n{output}"


def check_tool(prefix, source, folder, verilator):
    vdla, module = prefix / "bin/vdla", folder / "digits.vdla"
    run(vdla, "compile", source / "examples/digits/digits.onnx", "-o", module, "--variant", "tiny")
    for engine in ["functional", "systemc", "rtl"] if verilator else ["functional"]:
        output = run(vdla, "run", module, "--engine", engine, "--random-input", "1", cache=folder / "empty")
        assert re.search(r"class +score", output), f"{engine}: {output}"


def check_rtl_libraries(prefix, source, folder):
    """A user's program takes the kit's library of the RTL, or else the one that `vdla build-rtl` wrote to the cache."""
    example, cache = folder / "examples/network_to_session/network_to_session", folder / "cache"
    def engines():
        output = run(example, source / "examples/digits/digits.onnx", "tiny", cache=cache)
        return re.findall(r"^(\w+): 1 outputs", output, re.M)
    assert engines() == ["functional", "systemc", "rtl"], engines()
    (prefix / "lib/vdla/rtl").rename(folder / "libraries")
    assert engines() == ["functional", "systemc"], engines()
    run(prefix / "bin/vdla", "build-rtl", "--variant", "tiny", cache=cache)
    assert list((cache / "vdla/rtl").glob("libvdla_rtl_*_fast.so"))
    assert engines() == ["functional", "systemc", "rtl"], engines()


def check_exported_rtl(prefix, folder, verilator):
    """The hardware of the installed kit is whole: somebody else's tool elaborates it, with the variant's parameters and
    nothing else."""
    exported = folder / "exported"
    run(prefix / "bin/vdla", "build-rtl", "--variant", "tiny", "--export", exported)
    assert re.search(r"BlockIn += 4,", (exported / "vdla_axi.v").read_text())
    # Port `interrupt` has the name that designs expect, which is a word of C++.
    run(verilator, "--lint-only", "-Wno-lint", "-Wno-style", "-Wno-SYMRSVDWORD", "--unroll-count", "4096", "--top-module", "vdla_axi",
        f"-I{exported}", "-F", exported / "files.f")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--verilator", default="")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vdla_installed_") as name:
        folder = pathlib.Path(name)
        prefix = folder / "kit"
        run(arguments.cmake, "--install", arguments.build, "--prefix", prefix)
        check_headers(prefix, arguments.compiler, folder)
        check_package(prefix, arguments.build, arguments.source)
        check_missing_package(prefix, arguments.cmake, arguments.source, folder)
        has_verilator = arguments.verilator and not arguments.verilator.endswith("NOTFOUND")
        check_examples(prefix, arguments.cmake, arguments.source, folder, has_verilator)
        check_tool(prefix, arguments.source, folder, has_verilator)
        if has_verilator:
            check_rtl_libraries(prefix, arguments.source, folder)
            check_exported_rtl(prefix, folder, arguments.verilator)


main()
