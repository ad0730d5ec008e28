#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills commands of vdla at random moments and looks at what they leave.

After a kill, each output is what stood there before or all of the new one; after SIGINT and SIGTERM nothing else is
there either, and one line says so. After SIGKILL, the next output into the folder removes the rest. No helper process
lives on, and the temporary folder is empty. tune-again is a search with a log that SIGKILL ends again and again and
that goes on each time. A command that ended before its kill does not count, but is looked at. Half of the moments are
drawn over the command's whole time, half shortly after an unfinished output has appeared. Prints one row a command, and
every finding."""
import argparse
import collections
import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

OLD = b"what stood here before\n"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
MARK = "VDLA_KILLS_MARK"


def catches(process, number):
    """Whether the process has a handler of this signal: before that it has not begun, and dies without a word."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
    return bool(int(re.search(r"SigCgt:\s*([0-9a-f]+)", status).group(1), 16) >> (number - 1) & 1)


# --- Which contents are whole ---

def same(reference):
    return lambda path: path.read_bytes() == reference


def whole_json(path):
    try:
        return bool(json.loads(path.read_text()))
    except ValueError:
        return False


def ends_with(text):
    return lambda path: path.read_text().rstrip().endswith(text)


def whole_csv(path):
    text = path.read_text()
    return text.endswith("\n") and len({len(row) for row in csv.reader(text.splitlines())}) == 1


def whole_fst(path):
    """Blocks follow each other up to the end of the file, the header first, and one holds the hierarchy."""
    data, at, kinds = path.read_bytes(), 0, []
    while at + 9 <= len(data):
        kinds.append(data[at])
        at += 1 + struct.unpack(">Q", data[at + 1:at + 9])[0]
    return at == len(data) and kinds[:1] == [0] and bool({4, 6, 7} & set(kinds))


def last_cycle(path):
    return struct.unpack(">Q", path.read_bytes()[17:25])[0] // 2


def loads(path):
    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).vdla_rtl_abi_version()"
    return subprocess.run([sys.executable, "-c", code, path], capture_output=True).returncode == 0


# --- The commands ---

class Subject:
    """A command line in a folder; `outputs` maps names of files to what tells whether one is whole. `more` is a pattern
    of names that may stand there besides, `old` what may stand under an output's name before."""

    def __init__(self, words, outputs, more=None, old=OLD):
        self.words, self.outputs, self.more, self.old = words, outputs, more, old


class Campaign:
    def __init__(self, arguments):
        self.vdla = arguments.vdla.resolve()
        self.work = arguments.work.resolve()
        self.random = random.Random(arguments.seed)
        self.inputs = self.work / "inputs"
        self.folder = self.work / "folder"
        self.temporary = self.work / "temporary"
        self.findings = []
        # A signal that was ignored when this began stays ignored in children.
        for number in SIGNALS[1:]:
            signal.signal(number, signal.SIG_DFL)
        if self.work.exists():
            shutil.rmtree(self.work)
        for folder in (self.inputs, self.folder, self.temporary):
            folder.mkdir(parents=True)
        self.environment = dict(os.environ, TMPDIR=str(self.temporary), CCACHE_DISABLE="1", **{MARK: str(self.work)})

    def start(self, words):
        return subprocess.Popen([self.vdla, *words], cwd=self.folder, env=self.environment, start_new_session=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *words):
        process = self.start(words)
        out, err = process.communicate()
        if process.returncode != 0:
            sys.exit(f"vdla {' '.join(map(str, words))}: {out}{err}")

    def make_inputs(self, digits):
        (self.inputs / "one.s").write_text("finish 0\n")
        shutil.copy(digits, self.inputs / "digits.onnx")
        self.run("compile", digits, "-o", self.inputs / "digits.vdla", "--variant", "tiny")
        self.run("zoo", "resnet8", "-o", self.inputs / "resnet8.onnx")
        self.run("zoo", "mobilenet_v1", "-o", self.inputs / "mobilenet.onnx")
        self.run("zoo", "resnet8", "--float", "-o", self.inputs / "float.onnx")
        values = [self.random.random() for _ in range(4 * 3 * 32 * 32)]
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3, 32, 32), }".ljust(117) + "\n"
        (self.inputs / "samples.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                                                  struct.pack(f"<{len(values)}f", *values))

    def reference(self, words, name):
        """What a command writes that nobody disturbs."""
        self.run(*words)
        data = (self.folder / name).read_bytes()
        (self.folder / name).unlink()
        return data

    def subjects(self, name):
        """Forms of a command, of which each kill draws one."""
        i = self.inputs
        if name == "compile":
            words = ["compile", i / "mobilenet.onnx", "-o", "net.vdla"]
            return [Subject(words, {"net.vdla": same(self.reference(words, "net.vdla"))})]
        if name == "quantize":
            words = ["quantize", i / "float.onnx", "--calibration", i / "samples.npy", "-o", "net.onnx"]
            return [Subject(words, {"net.onnx": same(self.reference(words, "net.onnx"))})]
        if name == "run":
            words = ["run", i / "digits.vdla", "--random-input", "1", "--output", "out.npy"]
            outputs = {"out.npy": same(self.reference(words + ["--engine", "functional"], "out.npy"))}
            traces = ["--record", "record.json", "--timeline", "timeline.json"]
            outputs_of_traces = dict(outputs, **{"record.json": whole_json, "timeline.json": whole_json})
            waves = ["--engine", "rtl", "--waves", "run.fst"]
            return [Subject(words + traces + ["--engine", "systemc"], outputs_of_traces),
                    Subject(words + waves, dict(outputs, **{"run.fst": whole_fst})),
                    Subject(words + traces + waves, dict(outputs_of_traces, **{"run.fst": whole_fst}))]
        if name == "explore":
            words = ["explore", "--network", i / "resnet8.onnx", "--jobs", "2", "-o", ".", "--axis"]
            old = self.reference(words + ["array=1x4x4"], "results.json")  # what is no sweep's would be refused
            self.empty()
            return [Subject(words + ["array=1x4x4,1x4x8,1x8x8,1x8x16", "--axis", "dram_latency=48,100"],
                            {"results.json": whole_json, "results.csv": whole_csv, "report.html": ends_with("</html>")},
                            re.compile(r"points(/[0-9a-f]+\.json)?$"), old)]
        if name == "tune":
            words = ["tune", i / "digits.onnx", "--variant", "tiny", "--jobs", "2", "--book", "knobs.json", "--trials"]
            old = self.reference(words + ["1"], "knobs.json")  # what is no book would be refused
            return [Subject(words + ["300", "--log", "tune.jsonl"], {"knobs.json": whole_json}, re.compile(r"tune\.jsonl$"), old)]
        if name == "build-rtl":
            words = ["build-rtl", "--variant", "tiny", "--out", "."]
            process = self.start(words)
            library = pathlib.Path(process.communicate()[0].strip()).name
            (self.folder / library).unlink()
            return [Subject(words, {library: loads})]
        sys.exit(f"no command '{name}' in this campaign")

    # --- One kill ---

    def names(self):
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}

    def unfinished(self):
        folders = [self.folder, self.folder / "points"]
        return any(entry.name.startswith(".vdla-") for f in folders if f.exists() for entry in os.scandir(f))

    def living(self):
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if f"{MARK}={self.work}".encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                pass
        return found

    def wait_for_the_moment(self, process, seconds):
        if self.random.random() < 0.5:
            end = time.monotonic() + self.random.uniform(0, seconds)
        else:
            while process.poll() is None and not self.unfinished():
                pass
            end = time.monotonic() + self.random.uniform(0, 0.003 if self.random.random() < 0.5 else seconds / 2)
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.0002)

    def kill(self, subject, seconds):
        before = {}
        for name in subject.outputs:
            if self.random.random() < 0.5:
                (self.folder / name).write_bytes(subject.old)
                before[name] = subject.old
        number = self.random.choice(SIGNALS)
        process = self.start(subject.words)
        self.wait_for_the_moment(process, seconds)
        too_early = number != signal.SIGKILL and not catches(process.pid, number)
        try:
            # From a terminal SIGINT reaches the whole group.
            (os.killpg if number == signal.SIGINT and self.random.random() < 0.5 else os.kill)(process.pid, number)
        except ProcessLookupError:
            pass
        out, err = process.communicate()
        ended = process.returncode == 0
        what = f"vdla {' '.join(map(str, subject.words))}, {signal.Signals(number).name}: "
        if not ended and process.returncode != -number:
            self.findings.append(what + f"status {process.returncode}: {err}")
        if not ended and number != signal.SIGKILL:
            lines = [line for line in err.replace("\r", "\n").splitlines() if "interrupted by" in line]
            begins = f"vdla {subject.words[0]}: interrupted by {signal.Signals(number).name}: "
            if not (too_early and not lines) and (len(lines) != 1 or not lines[0].startswith(begins)):
                self.findings.append(what + "says " + repr(err))
            cycle = re.search(r"kept run\.fst, which ends at cycle (\d+)", err)
            if cycle and last_cycle(self.folder / "run.fst") != int(cycle.group(1)):
                self.findings.append(what + f"waves end at {last_cycle(self.folder / 'run.fst')}, and it says {err}")
            self.expect_names(what, subject)
        end = time.monotonic() + 10
        while (alive := self.living()) and time.monotonic() < end:
            time.sleep(0.02)
        if alive:
            self.findings.append(what + f"still running: {alive}")
        # Whatever comes next in these folders removes the rest.
        for folder in {".", "points"} & (self.names() | {"."}):
            self.run("asm", self.inputs / "one.s", "-o", f"{folder}/one.bin")
            (self.folder / folder / "one.bin").unlink()
        self.expect_names(what, subject)
        left = list(self.temporary.iterdir())
        if left:
            self.findings.append(what + f"left in the temporary folder: {left}")
        kept = self.judge(what, subject, before, ended)
        self.empty()
        for path in left:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return signal.Signals(number).name if not ended else "ended before", kept

    def expect_names(self, what, subject):
        strange = {name for name in self.names()
                   if name not in subject.outputs and not (subject.more and subject.more.match(name))}
        if strange:
            self.findings.append(what + f"left behind: {sorted(strange)}")

    def judge(self, what, subject, before, ended):
        """Finds what is partial; how many outputs are new."""
        new = 0
        for name, whole in subject.outputs.items():
            path = self.folder / name
            if not path.exists():
                if name in before:
                    self.findings.append(what + f"{name}: the old one is gone")
                elif ended:
                    self.findings.append(what + f"{name}: not written by a command that ended well")
                continue
            if name in before and path.read_bytes() == subject.old:
                if ended:
                    self.findings.append(what + f"{name}: still the old one after a command that ended well")
                continue
            new += 1
            if not whole(path):
                self.findings.append(what + f"{name}: partial, {path.stat().st_size} bytes")
        for name in self.names():
            if subject.more and subject.more.match(name) and name.endswith(".json") and not whole_json(self.folder / name):
                self.findings.append(what + f"{name}: partial")
        return new

    # --- A search that goes on ---

    def search_again(self, kills):
        """SIGKILL ends a search, and the same command goes on from its log, until it ends by itself; then the next
        search begins. No record is lost or measured twice, the book is whole at any time, and at the end both are those
        of a search that nobody disturbed."""
        words = ["tune", self.inputs / "digits.onnx", "--variant", "tiny", "--jobs", "2", "--trials", str(max(100, 6 * kills)),
                 "--book", "knobs.json", "--log", "tune.jsonl"]
        book, log = self.folder / "knobs.json", self.folder / "tune.jsonl"
        self.run(*words)
        quiet_book, quiet_log = book.read_bytes(), self.records(log)
        self.empty()
        counts, before = collections.Counter(), b""
        while counts["SIGKILL"] < kills:
            process = self.start(words)
            size = log.stat().st_size if log.exists() else 0
            if self.random.random() < 0.5:  # else before it measures
                while process.poll() is None and (log.stat().st_size if log.exists() else 0) == size:
                    time.sleep(0.0002)
            end = time.monotonic() + self.random.uniform(0, 0.3)
            while process.poll() is None and time.monotonic() < end:
                time.sleep(0.0002)
            process.kill()
            err = process.communicate()[1]
            ended = process.returncode == 0
            counts["ended" if ended else "SIGKILL"] += 1
            what = f"vdla tune, {counts['SIGKILL']} kills: "
            if not ended and process.returncode != -signal.SIGKILL:
                self.findings.append(what + f"status {process.returncode}: {err}")
                break
            text = log.read_bytes() if log.exists() else b""
            now = text[:text.rfind(b"\n") + 1]
            if not now.startswith(before):
                self.findings.append(what + "the log lost records")
            keys = [json.loads(line)["key"] for line in now.splitlines()]
            if len(set(keys)) != len(keys):
                self.findings.append(what + "a record was measured twice")
            if book.exists() and not whole_json(book):
                self.findings.append(what + "the book is partial")
            before = now
            if ended:
                if book.read_bytes() != quiet_book:
                    self.findings.append(what + "another book than that of a search that nobody disturbed")
                if self.records(log) != quiet_log:
                    self.findings.append(what + "other records than those of a search that nobody disturbed")
                self.empty()
                before = b""
        self.run(*words)
        if book.read_bytes() != quiet_book or self.records(log) != quiet_log:
            self.findings.append("vdla tune, at the end: another book, or other records, than of a search that nobody disturbed")
        self.empty()
        print(f"| tune-again | {counts['SIGKILL']} | {counts['SIGKILL']} | 0 | 0 | {counts['ended']} | |", flush=True)

    @staticmethod
    def records(log):
        """What a log says of each key."""
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        return {line["key"]: line for line in lines}

    def empty(self):
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def campaign(self, name, kills):
        if name == "tune-again":
            return self.search_again(kills)
        subjects = self.subjects(name)
        seconds = []
        for subject in subjects:
            begin = time.monotonic()
            self.run(*subject.words)
            seconds.append(time.monotonic() - begin)
            self.empty()
        counts, files = collections.Counter(), 0
        while counts.total() - counts["ended before"] < kills and counts["ended before"] <= 3 * kills:
            at = self.random.randrange(len(subjects))
            how, new = self.kill(subjects[at], seconds[at])
            counts[how] += 1
            files += new
        row = [name, counts.total() - counts["ended before"], *(counts[number.name] for number in SIGNALS), counts["ended before"], files]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vdla", required=True, type=pathlib.Path)
    parser.add_argument("--digits", required=True, type=pathlib.Path, help="examples/digits/digits.onnx")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder to work in, emptied first")
    parser.add_argument("--kills", type=int, default=100, help="of each command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("commands", nargs="*", default=["compile", "quantize", "run", "explore", "tune", "tune-again", "build-rtl"])
    arguments = parser.parse_args()
    campaign = Campaign(arguments)
    campaign.make_inputs(arguments.digits.resolve())
    print("| command | kills | SIGKILL | SIGTERM | SIGINT | ended before | new files |\n|---|--:|--:|--:|--:|--:|--:|", flush=True)
    for name in arguments.commands:
        campaign.campaign(name, arguments.kills)
    for finding in campaign.findings:
        print(finding)
    shutil.rmtree(campaign.work)
    sys.exit(1 if campaign.findings else 0)


main()
