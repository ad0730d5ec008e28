#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results of long suites of tests on record, in tests/part/record.json: for each suite the files and tools that its
result depends on, with the hashes that they had when all of it passed. Where they are the same, a run takes a part of
the suite.

usage: record.py state SUITE                  a sentence; exit status 0: on record, 1: not, and what differs
       record.py renew SUITE... --build DIR   builds and runs all of it; writes the record where that passed
options: --source ROOT (this tree), --record FILE (tests/part/record.json of it)
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/lint"))
from check_comments import SLASHES, TOKEN

# Comments that a tool reads.
ORDER = re.compile(r"verilator|synthesis|translate_o", re.I)


class Refused(Exception):
    pass


def code_of(file):
    """The bytes of a file; of C++ and SystemVerilog without comments, which no result depends on."""
    if file.suffix not in SLASHES:
        return file.read_bytes()
    def mark(token):
        comment = token["line"] or token["block"]
        return "\0" if comment and not ORDER.search(comment) else token.group()
    text = TOKEN.sub(mark, file.read_text())
    return re.sub(r"[ \t]*\0", "", re.sub(r"(?m)^[ \t]*\0[ \t\0]*\n", "", text)).encode()


def hash_of(path):
    """SHA-256 over names and code of a file or of all files of a folder but those that Python leaves there."""
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(f for f in path.rglob("*") if f.is_file() and "__pycache__" not in f.parts)
    if not files:
        raise Refused(f"{path} is no file and has none")
    for file in files:
        content = hashlib.sha256(code_of(file)).hexdigest()
        digest.update(f"{file.relative_to(path.parent).as_posix()} {content}\n".encode())
    return digest.hexdigest()[:24]


def version_of(command):
    try:
        done = subprocess.run(shlex.split(command), capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return (done.stdout or done.stderr).strip().split("\n")[0]


def differences(suite, source):
    """What is not as it was when the suite passed."""
    different = [path for path, known in suite["sources"].items() if hash_of(source / path) != known]
    return different + [f"'{command}'" for command, known in suite["tools"].items() if version_of(command) != known]


def state(name, suite, source):
    if not suite["passed"]:
        print(f"{name} is not on record")
        return 1
    different = differences(suite, source)
    if different:
        print(f"{name} is not on record: since it passed at {suite['passed']}, {', '.join(different)} changed")
        return 1
    print(f"on record: all {suite['cases']} cases of {name} passed at {suite['passed']}, with these sources and tools")
    return 0


def commit(source, paths):
    """HEAD, and a word where it has other files."""
    def git(*words):
        return subprocess.run(["git", "-C", source, *words], capture_output=True, text=True, check=True).stdout
    try:
        return git("rev-parse", "--short=8", "HEAD").strip() + (" with changes" if git("status", "--porcelain", "--", *paths) else "")
    except (OSError, subprocess.CalledProcessError):
        return "no commit"


def renew(name, suite, source, build):
    """Runs the suite and puts what it ran on into its entry."""
    def hashes():
        return {path: hash_of(source / path) for path in suite["sources"]}
    program = suite["program"]
    subprocess.run(["cmake", "--build", build, "--target", program], check=True, stdout=subprocess.DEVNULL)
    before = hashes()
    report = build / f"{name}.record.json"
    report.unlink(missing_ok=True)
    status = subprocess.run([build / "tests" / program, f"--gtest_output=json:{report}"],
                            env={**os.environ, "VDLA_WHOLE": "1"}).returncode
    if status != 0:
        raise Refused(f"{name} failed (status {status}); the record stays as it was")
    cases = [case for group in json.loads(report.read_text())["testsuites"] for case in group["testsuite"]]
    left_out = [case["name"] for case in cases if case["result"] != "COMPLETED"]
    if left_out or not cases:
        raise Refused(f"{name} ran without {left_out[0] if left_out else 'any case'}; the record stays as it was")
    if hashes() != before:
        raise Refused(f"files of {name} changed while it ran; the record stays as it was")
    tools = {command: version_of(command) for command in suite["tools"]}
    suite.update(sources=before, tools=tools, passed=commit(source, list(before)), cases=len(cases))


def main():
    parser = argparse.ArgumentParser(prog="record.py", description=__doc__.split("\n\n")[0], epilog="Example: record.py renew hw_formal --build build")
    parser.add_argument("what", choices=["state", "renew"])
    parser.add_argument("suites", nargs="+", metavar="SUITE")
    parser.add_argument("--source", type=pathlib.Path, default=ROOT)
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    options = parser.parse_args()
    path = options.record or options.source / "tests/part/record.json"
    record = json.loads(path.read_text())
    try:
        for name in options.suites:
            if name not in record:
                raise Refused(f"no suite '{name}', needs one of {', '.join(record)}")
            if options.what == "state":
                return state(name, record[name], options.source)
            renew(name, record[name], options.source, options.build.resolve())
            path.write_text(json.dumps(record, indent=2) + "\n")
            print(f"{name}: {record[name]['cases']} cases passed; {path} is renewed")
    except Refused as error:
        print(f"record.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
