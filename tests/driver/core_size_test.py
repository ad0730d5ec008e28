#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The driver core and the bare-metal transport on small CPUs: they compile freestanding, need nothing of a C library
but copies of memory, have no data of their own, fit their budget of code, no call takes more stack than a small
firmware has, and registers are accessed in the order that driver/core/transport.h asks for.

usage: core_size_test.py ROOT   exit status 77 and the reason where clang-19 is missing
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CLANG, SIZE, NM = "clang-19", "llvm-size-19", "llvm-nm-19"
FLAGS = ["-Os", "-std=c99", "-pedantic-errors", "-Werror", "-Wall", "-Wextra", "-ffreestanding", "-ffunction-sections"]
CORTEX_M4 = ["--target=arm-none-eabi", "-mcpu=cortex-m4", "-mthumb"]
TARGETS = {
    "cortex-m4": CORTEX_M4,
    "cortex-m0": ["--target=arm-none-eabi", "-mcpu=cortex-m0", "-mthumb"],
    "cortex-a9": ["--target=arm-none-eabi", "-mcpu=cortex-a9", "-marm"],
    "cortex-a53": ["--target=aarch64-none-elf", "-mcpu=cortex-a53"],
    "rv32imc": ["--target=riscv32-none-elf", "-march=rv32imc", "-mabi=ilp32"],
}
CORE_BYTES = 9 * 1024  # of code, without the sentences that it says
STACK_BYTES = 512      # of the deepest chain of calls, without what a transport's functions take
MODEL_BYTES = 3584    # of driver/model, which runs a model's C code
MODEL_STACK_BYTES = 1024  # the same chains with a model's run above them
# What every compiler may call, and every firmware has therefore; and the helpers of 32-bit CPUs that lack an
# instruction.
COPIES = {"memcpy", "memset", "memmove", "__aeabi_memcpy", "__aeabi_memcpy4", "__aeabi_memcpy8", "__aeabi_memclr", "__aeabi_memclr4", "__aeabi_memclr8"}
HELPERS = {"cortex-m0": {"__aeabi_lmul", "__aeabi_llsl", "__aeabi_llsr", "__aeabi_uidiv", "__aeabi_uidivmod"}, "rv32imc": {"__lshrdi3", "__ashldi3"}}


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


def sources(root, folder):
    return sorted((root / "driver" / folder).glob("*.c"))


def compile_to(out, root, flags, files, *more):
    for source in files:
        run(CLANG, *flags, *FLAGS, "-I", root, *more, "-c", source, "-o", out / f"{source.stem}.o", cwd=out)
    return [out / f"{source.stem}.o" for source in files]


def sections(objects):
    """Bytes of code, of constants that are no text, of text, of data that can change."""
    sums = collections.Counter()
    for line in run(SIZE, "-A", *objects).splitlines():
        match = re.match(r"(\.\S+)\s+(\d+)\s+\d+$", line)
        if not match:
            continue
        name, size = match.group(1), int(match.group(2))
        if name.startswith(".rodata.str"):
            sums["texts"] += size
        elif name.startswith((".text", ".rodata")):
            sums["code"] += size
        elif name.startswith((".data", ".bss")):
            sums["data"] += size
    return sums


def undefined(objects):
    """Symbols that the objects need and none of them has."""
    defined, needed = set(), set()
    for line in run(NM, *objects).splitlines():
        if match := re.match(r"\S*\s+([A-Za-z]) (\S+)$", line):
            (needed if match.group(1) == "U" else defined).add(match.group(2))
    return needed - defined


def deepest_chain(frames, calls):
    """(bytes, names) of the chain of calls that takes the most stack."""
    deepest = {}

    def visit(name, above):
        if name in above:
            raise SystemExit(f"{name} calls itself: no bound on its stack")
        if name not in deepest:
            below = max((visit(callee, [*above, name]) for callee in calls[name] if callee in frames), default=(0, []))
            deepest[name] = (frames[name] + below[0], [name, *below[1]])
        return deepest[name]

    return max(visit(name, []) for name in frames)


def stack(out, root, files):
    """The deepest chain of direct calls in the sources, by the compiler's own frames and the assembler text."""
    frames, calls = {}, collections.defaultdict(set)
    for source in files:
        run(CLANG, *CORTEX_M4, *FLAGS, "-fstack-usage", "-I", root, "-c", source, "-o", out / f"{source.stem}.o", cwd=out)
        for line in (out / f"{source.stem}.su").read_text().splitlines():
            place, size, kind = line.split("\t")
            if kind != "static":
                raise SystemExit(f"{place}: its stack is {kind}, not known before it runs")
            frames[place.rsplit(":", 1)[1]] = int(size)
        function = None
        for line in run(CLANG, *CORTEX_M4, *FLAGS, "-I", root, "-S", source, "-o", "-", cwd=out).splitlines():
            if match := re.match(r"(\w+):", line):
                function = match.group(1) if match.group(1) in frames else function
            elif match := re.match(r"\s+b[l.]?\w*\s+(\w+)$", line):
                calls[function].add(match.group(1))
    return deepest_chain(frames, calls)


def body_of(name, assembler):
    """The instructions of a function, without directives and comments."""
    lines = assembler.split(f"\n{name}:", 1)[1].split(".Lfunc_end", 1)[0].splitlines()
    return [line.strip() for line in lines[1:] if re.match(r"\s+[a-z]", line)]


def check_barriers(name, flags, out, root):
    """A barrier before the store of a register's write, and behind the load of its read."""
    text = run(CLANG, *flags, *FLAGS, "-I", root, "-S", root / "driver/mmio/mmio.c", "-o", "-", cwd=out)
    is_barrier, is_store, is_load = (re.compile(p).match for p in (r"(dsb\s+sy|fence$)", r"(str|sw)\b", r"(ldr|lw)\b"))
    write, read = body_of("mmio_write32", text), body_of("mmio_read32", text)
    order = ["barrier" if is_barrier(line) else "store" for line in write if is_barrier(line) or is_store(line)]
    problems = [] if order[-2:] == ["barrier", "store"] else [f"{name}: mmio_write32 has no barrier before its store: {write}"]
    order = ["barrier" if is_barrier(line) else "load" for line in read if is_barrier(line) or is_load(line)]
    return problems + ([] if order[-2:] == ["load", "barrier"] else [f"{name}: mmio_read32 has no barrier behind its load: {read}"])


def check_byte_order(out, root):
    """A CPU of the other byte order is refused by a sentence."""
    source = out / "order.c"
    source.write_text('#include "driver/core/transport.h"\n')
    said = subprocess.run([CLANG, "--target=armebv7-none-eabi", "-ffreestanding", "-I", root, "-fsyntax-only", source], capture_output=True, text=True)
    if said.returncode == 0 or "big-endian CPU would see every word of a tensor reversed" not in said.stderr:
        return ["a big-endian CPU is not refused by name: " + said.stderr]
    return []


def check_target(name, flags, out, root):
    problems, core = [], compile_to(out, root, flags, sources(root, "core"))
    sizes = sections(core)
    print(f"{name:10} core: {sizes['code']:5} bytes of code, {sizes['texts']:5} of sentences")
    if sizes["code"] > CORE_BYTES:
        problems.append(f"{name}: the core has {sizes['code']} bytes of code, may have {CORE_BYTES}")
    if sizes["data"]:
        problems.append(f"{name}: the core has {sizes['data']} bytes of data, and no firmware expects any")
    objects = core + compile_to(out, root, flags, sources(root, "memory")) + compile_to(out, root, flags, sources(root, "mmio"))
    print(f"{name:10} core and mmio: {sections(objects)['code']:5} bytes of code")
    model = sections(compile_to(out, root, flags, [root / "driver/model/model.c"]))
    print(f"{name:10} model: {model['code']:5} bytes of code")
    if model["code"] > MODEL_BYTES or model["data"]:
        problems.append(f"{name}: driver/model has {model['code']} bytes of code and {model['data']} of data, may have {MODEL_BYTES} and none")
    missing = undefined(objects) - COPIES - HELPERS.get(name, set())
    if missing:
        problems.append(f"{name}: needs {', '.join(sorted(missing))}, which bare metal lacks")
    return problems


def main(root):
    for tool in (CLANG, SIZE, NM):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed (scripts/packages/core.txt, test.txt)")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        problems = check_byte_order(out, root)
        for name, flags in TARGETS.items():
            problems += check_target(name, flags, out, root) + check_barriers(name, flags, out, root)
        files = [*sources(root, "core"), *sources(root, "memory"), *sources(root, "mmio")]
        for budget, more in ((STACK_BYTES, []), (MODEL_STACK_BYTES, sources(root, "model"))):
            taken, chain = stack(out, root, files + more)
            print(f"stack: {taken} bytes, {' -> '.join(chain)}")
            if taken > budget:
                problems.append(f"{' -> '.join(chain)} takes {taken} bytes of stack, may take {budget}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
