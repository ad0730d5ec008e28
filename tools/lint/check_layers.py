#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include "..." of the tree against the allowed arrows of layers.txt.

usage: check_layers.py [ROOT]   exit status 1 and one line per forbidden arrow
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
SUFFIXES = {".h", ".cpp", ".c", ".cc"}


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
    return path == folder or path.startswith(folder + "/")


def layer_of(path, layers):
    matches = [folder for folder in layers if within(path, folder)]
    return max(matches, key=len) if matches else None


def check(root):
    layers = read_layers(root / "tools/lint/layers.txt")
    tops = {folder.split("/")[0] for folder in layers}
    errors = []
    for top in sorted(tops):
        for source in sorted((root / top).rglob("*")):
            if source.suffix not in SUFFIXES or not source.is_file():
                continue
            name = source.relative_to(root).as_posix()
            layer = layer_of(name, layers)
            if layer is None:
                errors.append(f"{name}: its folder is not in layers.txt")
                continue
            for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match or match.group(1).split("/")[0] not in tops:
                    continue
                target = match.group(1)
                if within(target, layer) or any(within(target, a) for a in layers[layer]):
                    continue
                errors.append(f"{name}:{number}: {layer} may not use {target}")
    return errors


if __name__ == "__main__":
    problems = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(problems) if problems else "layers: no forbidden arrow")
    sys.exit(1 if problems else 0)
