#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links of pages lead to files and headings that are there. Links to other places of the web are not followed.

usage: check_links.py [ROOT]
"""
import pathlib
import re
import sys

from check_prose import kinds, pages

LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"^[a-z]+:")


def anchors(text):
    """Names that a renderer gives headings: small letters, digits and hyphens."""
    for line in text.split("\n"):
        if line.startswith("#"):
            words = re.sub(r"[^\w\s-]", "", line.lstrip("#").strip().lower())
            yield words.replace(" ", "-")


def main(root):
    status = 0
    for name in pages(root):
        page = root / name
        for number, (line, prose) in enumerate(kinds(page.read_text().split("\n")), 1):
            shown = prose or line.lstrip().startswith("|") or line.startswith(("#", "[", "!"))
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line) if shown else ""):
                path, _, anchor = target.partition("#")
                if ELSEWHERE.match(target):
                    continue
                file = page.parent / path if path else page
                if not file.exists():
                    problem = f"leads to no file: {target}"
                elif anchor and anchor not in anchors(file.read_text()):
                    problem = f"leads to no heading: {target}"
                else:
                    continue
                print(f"{name}:{number}: a link {problem}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
