#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C++ source must be listed in the CMakeLists.txt of its folder or of a parent folder, every text test
(tests/*/text/) in a vdla_text_tests() of the folder above; globs are not used. The root of the tree has the names of
ROOT_NAMES and no others, and paths have letters, digits and ._/+- alone and no part that begins with '-'.

usage: check_sources.py [ROOT]
"""
import pathlib
import re
import subprocess
import sys

TOPS = ["support", "isa", "boards", "sim", "compiler", "runtime", "driver", "kit", "tools", "python", "tests", "bench", "hw", "examples"]

# Names that a reader sees first. A command that took '-' for a file's name once left one here, and it was committed.
ROOT_NAMES = {
    ".ci", ".clang-format", ".clang-format-ignore", ".clang-tidy", ".gitignore",
    "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md",
    "bench", "boards", "cmake", "compiler", "docs", "driver", "examples", "hw", "isa", "kit", "python", "runtime", "scripts", "sim",
    "support", "tests", "tools",
}


def tracked(root):
    """Returns the paths that git tracks; none where the tree is no repository, which may hold builds and notes."""
    listing = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True)
    return [name for name in listing.stdout.decode(errors="replace").split("\0") if name]


def misnamed(paths):
    """Yields a sentence for each name that the tree may not have."""
    for name in sorted({path.split("/")[0] for path in paths} - ROOT_NAMES):
        yield f"{name!r}: the root has no such name; remove it, or add it to ROOT_NAMES of tools/lint/check_sources.py"
    for path in paths:
        if not re.fullmatch(r"[A-Za-z0-9._/+-]+", path):
            yield f"{path!r}: has a character that a path may not have; letters, digits and ._/+- are allowed"
        elif re.search(r"(^|/)-", path):
            yield f"{path!r}: a name that begins with '-' is an option to commands"


def listed(source, root):
    folder = source.parent
    while True:
        lists = folder / "CMakeLists.txt"
        if lists.exists() and source.relative_to(folder).as_posix() in lists.read_text():
            return True
        if folder == root:
            return False
        folder = folder.parent


def listed_text(test):
    lists = test.parent.parent / "CMakeLists.txt"
    calls = re.findall(r"vdla_text_tests\(([^)]*)\)", lists.read_text()) if lists.exists() else []
    return any(test.stem in call.split() for call in calls)


def main(root):
    missing = [
        source.relative_to(root).as_posix()
        for top in TOPS
        for source in sorted((root / top).rglob("*"))
        if source.suffix in {".cpp", ".c"} and not listed(source, root)
    ]
    missing += [test.relative_to(root).as_posix() for test in sorted((root / "tests").glob("**/text/*.*")) if not listed_text(test)]
    problems = [f"{name}: not listed in any CMakeLists.txt" for name in missing] + list(misnamed(tracked(root)))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
