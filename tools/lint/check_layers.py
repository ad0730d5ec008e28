#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include "..." of the tree against the allowed arrows of layers.txt, that each of these arrows is used,
that no line of layers.txt names a folder below it (so there is no circle of folders), and that the files of NO_CIRCLES
include each other in no circle. A header and the source of its name are one; where C needs it, the header declares what
that source defines (OWN_HEADERS), so that a circle of calls is a circle of includes.

usage: check_layers.py [ROOT]   exit status 1 and one line per forbidden arrow
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
SUFFIXES = {".h", ".cpp", ".c", ".cc"}
# The other folders have a few: two files that are one thing in two pieces.
NO_CIRCLES = ["compiler", "driver", "isa/spec", "kit", "runtime", "sim", "support", "tools"]
OWN_HEADERS = ["driver/core"]
DEFINITION = re.compile(r"^(?!static\b|typedef\b|return\b)[a-z]\w*[\w *]*?\b(\w+)\([^;{]*\)\s*\{", re.MULTILINE)


def read_layers(path):
    layers = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        folder, colon, allowed = line.partition(":")
        if not colon:
            raise SystemExit(f"{path}:{number}: expected 'FOLDER: FOLDERS', got '{line}'")
        layers[folder] = allowed.split()
    return layers


def within(path, folder):
    return path == folder or path.startswith((folder + "/", folder + "."))


def layer_of(path, layers):
    matches = [folder for folder in layers if within(path, folder)]
    return max(matches, key=len) if matches else None


def check_order(layers):
    """Lines that name what stands below them."""
    order = list(layers)
    return [
        f"tools/lint/layers.txt: {layer} names {allowed}, but {other} stands below it"
        for i, layer in enumerate(order)
        for allowed in layers[layer]
        for other in order[i + 1:]
        if within(other, allowed) or other == layer_of(allowed, layers)
    ]


def check_circles(arrows):
    """`arrows`: the files that each file includes, without endings. One line for each file that includes itself."""
    errors, done = [], set()

    def visit(unit, path):
        if unit in path:
            errors.append("circle of includes: " + " -> ".join([*path[path.index(unit):], unit]))
        if unit in done:
            return
        done.add(unit)
        for other in sorted(arrows.get(unit, ())):
            visit(other, [*path, unit])

    for unit in sorted(arrows):
        visit(unit, [])
    return errors


def check_headers(root):
    """One line for each function of a C source that another header than its own declares."""
    errors = []
    for source in (path for folder in OWN_HEADERS for path in sorted((root / folder).glob("*.c"))):
        header = source.with_suffix(".h")
        declared = header.read_text() if header.exists() else ""
        errors += [f"{source.relative_to(root).as_posix()}: {name} is not declared in {header.name}"
                   for name in DEFINITION.findall(source.read_text()) if not re.search(rf"\b{name}\(", declared)]
    return errors


def check(root):
    layers = read_layers(root / "tools/lint/layers.txt")
    tops = {folder.split("/")[0] for folder in layers}
    errors = check_order(layers)
    arrows = {}
    used = {}  # arrows of each layer that has files
    for top in sorted(tops):
        for source in sorted((root / top).rglob("*")):
            if source.suffix not in SUFFIXES or not source.is_file():
                continue
            name = source.relative_to(root).as_posix()
            layer = layer_of(name, layers)
            if layer is None:
                errors.append(f"{name}: its folder is not in layers.txt")
                continue
            used.setdefault(layer, set())
            for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match or match.group(1).split("/")[0] not in tops:
                    continue
                target = match.group(1)
                used[layer].update(a for a in layers[layer] if within(target, a))
                unit, other = name.rpartition(".")[0], target.rpartition(".")[0]
                if unit != other and any(within(name, folder) for folder in NO_CIRCLES):
                    arrows.setdefault(unit, set()).add(other)
                if layer_of(target, layers) == layer or any(within(target, a) for a in layers[layer]):
                    continue
                errors.append(f"{name}:{number}: {layer} may not use {target}")
    errors += [f"tools/lint/layers.txt: {layer} includes nothing of {allowed}; leave that out"
               for layer in used for allowed in layers[layer] if allowed not in used[layer]]
    return errors + check_headers(root) + check_circles(arrows)


if __name__ == "__main__":
    problems = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(problems) if problems else "layers: no forbidden arrow, no circle")
    sys.exit(1 if problems else 0)
