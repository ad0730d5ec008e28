#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of a target are compiled in groups when VDLA_UNITY is on: what an unnamed namespace of one holds is then seen
by the others. So a name there may occur once in a target, or its meanings must be told apart by types of the kit. The
same holds for names that a file takes from another namespace (`using graph::Shape;`): they hide those of the others.

usage: check_unity.py TARGETS [ROOT]
TARGETS has one line for each target: its name and its sources (the configuration writes it: unity_targets.txt in the
build folder).
"""
import functools
import pathlib
import re
import sys

SKIPPED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z])\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*|\[\[[^\]]*\]\]|__attribute__\(\(.*?\)\)\)|alignas\([^)]*\)",
    re.S | re.M,
)
KIT_TYPE = re.compile(r"\b(?:[A-Z]\w*[a-z]\w*|vdla_\w+)\b")


def without(text, opening, closing):
    """The text without what stands in brackets."""
    out, depth = "", 0
    for at, c in enumerate(text):
        if c == opening:
            depth += 1
        elif c == closing and depth and text[at - 1] != "-":
            depth -= 1
        elif depth == 0:
            out += c
    return out


def declared(head):
    """Name that the head of a declaration declares: (kind, name, how it is told apart), or None."""
    head = head.strip()
    while re.match(r"template\s*<", head):
        depth = 0
        for at, c in enumerate(head):
            depth += (c == "<") - (c == ">" and head[at - 1] != "-")
            if c == ">" and depth == 0:
                break
        head = head[at + 1 :].strip()
    if match := re.match(r"(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)\s*(?:final)?\s*(?::|$)", head):
        return "type", match.group(1), None
    if match := re.match(r"(?:using|namespace)\s+(\w+)\s*=(.*)", head, re.S):
        return "alias", match.group(1), " ".join(match.group(2).split())
    if match := re.fullmatch(r"using\s+(?!namespace\b|enum\b)((?:\w+\s*::\s*)+)(\w+)", head):
        return "taken", match.group(2), None
    if re.match(r"(?:using|static_assert|extern|friend|TEST|TEST_F|TEST_P|INSTANTIATE\w*)\b", head):
        return None
    flat = without(head, "<", ">")
    assigned, opened = flat.find("="), flat.find("(")
    if "operator" in flat:
        return None
    if opened >= 0 and (assigned < 0 or opened < assigned):
        match = re.search(r"(?<![\w:])(\w+)\s*$", flat[:opened])
        if not match or match.group(1) == flat[:opened].strip():
            return None  # a definition of a member, a macro
        parameters = head[head.index("(", head.index(match.group(1))) + 1 :]
        first = without(parameters.rsplit(")", 1)[0], "(", ")").split(",")[0]
        return "function", match.group(1), " ".join(re.sub(r"\b(?:const|vdla)\b|&|::", " ", first).split()[:-1])
    match = re.search(r"\s(\w+)\s*(?:\[[^\]]*\]\s*)*$", flat[:assigned] if assigned >= 0 else flat)
    return ("variable", match.group(1), None) if match else None


def further(head):
    """Names of the other variables of a declaration that has several."""
    flat = head
    for pair in ("<>", "()", "{}", "[]"):
        flat = without(flat, *pair)
    return [match.group(1) for part in flat.split(",")[1:] if (match := re.match(r"\s*[&*]?\s*(\w+)\s*(?:=|$)", part))]


def members_of_enum(head, body):
    """Names that an enumeration without a scope of its own puts beside it."""
    if not re.match(r"\s*enum\s+(?!class\b|struct\b)", head):
        return []
    return re.findall(r"(?:^|,)\s*(\w+)", without(body, "(", ")"))


def internal_names(text):
    """(namespace, kind, name, how it is told apart) of what only this file is meant to see, and of its own types."""
    text = SKIPPED.sub(lambda m: '""' if m.group(0).startswith(('"', "R")) else " ", text)
    found, scopes = [], []  # a scope is a namespace's name, "" without one, or None: a body
    start = at = parentheses = 0

    def record(head, body=""):
        known, namespace = declared(head), "::".join(s for s in scopes if s)
        if known and ("" in scopes or known[0] in ("alias", "taken") or re.match(r"static\b|const(expr)?\b", head.strip())):
            found.append((namespace, *known))
            more = further(head) if known[0] == "variable" else members_of_enum(head, body)
            found.extend((namespace, "variable", name, None) for name in more)
        elif known and known[0] == "type":
            found.append((namespace, "outer type", *known[1:]))

    while at < len(text):
        c = text[at]
        parentheses += (c == "(") - (c == ")")
        outside = None not in scopes and parentheses == 0
        if c == "{":
            namespace = re.fullmatch(r"(?:inline\s+)?namespace(?:\s+([\w:]+))?", text[start:at].strip())
            if outside and namespace:
                scopes.append(namespace.group(1) or "")
                start = at + 1
            else:
                if outside:
                    record(text[start:at], text[at + 1 : text.find("}", at)])
                scopes.append(None)
        elif c == "}":
            scopes.pop()
            start = at + 1 if None not in scopes and parentheses == 0 else start
        elif c == ";" and outside:
            record(text[start:at])
            start = at + 1
        at += 1
    return found


def clash(a, b):
    """Whether two declarations of one name, in two files, cannot stand in one."""
    kinds = {a[0], b[0]}
    if "outer type" in kinds:
        return "taken" in kinds
    if "taken" in kinds:
        return not kinds.isdisjoint({"type", "variable"})  # others may name one type, or be overloads
    if kinds == {"alias"}:
        return a[1] != b[1]
    if a[0] == b[0] == "function":
        return a[1] == b[1] or not (KIT_TYPE.search(a[1]) or KIT_TYPE.search(b[1]))
    return True


@functools.cache
def names_of(path):
    return internal_names(path.read_text())


@functools.cache
def types_of_headers(path, root):
    """(namespace, name) and header of each type outside of functions in headers that the file itself includes."""
    headers = [root / h for h in re.findall(r'^#include "([^"]+\.h)"', path.read_text(), re.M)]
    return {(namespace, name): header for header in headers if header.is_file()
            for namespace, kind, name, _ in names_of(header) if kind == "outer type"}


def check(targets, root):
    errors = []
    for line in targets.read_text().splitlines():
        target, *sources = line.split(";")
        sources = [path for path in map(pathlib.Path, sources) if path.suffix == ".cpp" and root in path.parents]
        seen, of_headers = {}, {}
        for source in sources if len(sources) > 1 else []:
            of_headers |= types_of_headers(source, root)
        for source in sources:
            for namespace, kind, name, detail in names_of(source):
                for other, what in seen.get((namespace, name), []):
                    if other != source and clash((kind, detail), what):
                        errors.append(f"{source.relative_to(root)}: {kind} '{name}' is in {other.relative_to(root)} too (target {target})")
                        break
                seen.setdefault((namespace, name), []).append((source, (kind, detail)))
                header = of_headers.get((namespace, name))
                if header and kind != "outer type" and (namespace, name) not in types_of_headers(source, root):
                    errors.append(f"{source.relative_to(root)}: {kind} '{name}' is in {header.relative_to(root)} too (target {target})")
    return list(dict.fromkeys(errors))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: check_unity.py TARGETS [ROOT]")
    problems = check(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".").resolve())
    print("\n".join(problems) if problems else "unity: no name of an unnamed namespace twice in a target")
    sys.exit(1 if problems else 0)
