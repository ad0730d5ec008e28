# SPDX-License-Identifier: Apache-2.0
"""Runs tests against one mutant after the other and keeps a log from which a run goes on."""
import dataclasses
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import threading
import time


@dataclasses.dataclass
class Step:
    name: str
    command: list
    limit: float = 0  # seconds of processor time
    cost: float = 1  # seconds that it takes when nothing is wrong


def read_steps(path, build):
    """Lines "NAME EXECUTABLE FILTER"; the filter is GoogleTest's."""
    steps = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 3:
            raise SystemExit(f"{path}:{number}: expected 'NAME EXECUTABLE FILTER', got '{line}'")
        command = [str(build / "tests" / words[1]), f"--gtest_filter={words[2]}", "--gtest_fail_fast", "--gtest_brief=1"]
        steps.append(Step(words[0], command))
    return steps


def run_step(step, number, folder):
    """'' when the test passes, else what it said: the failing test, an abort, or that it did not end."""
    environment = dict(os.environ, VDLA_MUTANT=str(number))
    limit = int(step.limit) or 600

    def prepare():
        import resource
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    before = os.times()
    child = subprocess.Popen(step.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                             cwd=folder, env=environment, preexec_fn=prepare)
    try:
        output, _ = child.communicate(timeout=limit * 600)  # others may use the processor; it counts processor time
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise SystemExit(f"{' '.join(step.command)} got no {limit} s of processor time in {limit * 600} s; this says nothing of mutant {number}")
    if child.returncode == 0:
        after = os.times()
        step.cost = max(0.05, after.children_user + after.children_system - before.children_user - before.children_system)
        if number == 0 and not re.search(r"\[  PASSED  \] [1-9]\d* test", output):
            raise SystemExit(f"{' '.join(step.command)} runs no test")
        return ""
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "no end"
    failed = re.search(r"\[  FAILED  \] ([\w/.]+)", output)
    asserted = re.search(r"assertion failed: (\S+)", output)
    return "assertion " + asserted.group(1) if asserted else (failed.group(1) if failed else f"signal {-child.returncode}")


def baseline(steps, folder):
    for step in steps:
        said = run_step(step, 0, folder)
        if said:
            raise SystemExit(f"without a mutant {' '.join(step.command)} fails: {said}")
        step.limit = 2 + 6 * step.cost
        print(f"  {step.name}: {step.cost:.2f} s", flush=True)


class Log:
    """One JSON object per mutant that was tried; the key survives changes of the tree elsewhere."""

    def __init__(self, path):
        self.path, self.done, self.lock = pathlib.Path(path), {}, threading.Lock()
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                row = json.loads(line)
                self.done[row["key"]] = row

    def add(self, row):
        with self.lock:
            self.done[row["key"]] = row
            with self.path.open("a") as out:
                out.write(json.dumps(row) + "\n")


class Order:
    """Steps of a file, the most kills per second first."""

    def __init__(self, steps):
        self.steps, self.kills, self.tries = steps, {}, {}

    def of(self, file):
        def worth(step):
            kills = self.kills.get((file, step.name), 0) + 0.2 * self.kills.get(("", step.name), 0) + 0.5
            tries = self.tries.get((file, step.name), 0) + 0.2 * self.tries.get(("", step.name), 0) + 1
            return kills / tries / step.cost
        return sorted(self.steps, key=worth, reverse=True)

    def saw(self, file, step, killed):
        for key in ((file, step.name), ("", step.name)):
            self.tries[key] = self.tries.get(key, 0) + 1
            self.kills[key] = self.kills.get(key, 0) + killed


def run_all(mutants, keys, steps, log, folder, jobs, again):
    todo = [m for m in mutants if keys[m.number] not in log.done or (again and not log.done[keys[m.number]]["killed_by"])]
    random.Random(1).shuffle(todo)  # the ones that are done when it is stopped are a uniform sample too
    order, began, count = Order(steps), time.time(), [0, 0]
    queue, lock = list(todo), threading.Lock()

    def work():
        while True:
            with lock:
                if not queue:
                    return
                mutant = queue.pop(0)
                plan = order.of(mutant.file)
            start, killer, said = time.time(), "", ""
            for step in plan:
                said = run_step(step, mutant.number, folder)
                with lock:
                    order.saw(mutant.file, step, bool(said))
                if said:
                    killer = step.name
                    break
            log.add({"key": keys[mutant.number], "file": mutant.file, "line": mutant.line, "kind": mutant.kind,
                     "before": mutant.before, "after": mutant.after, "killed_by": killer, "said": said,
                     "seconds": round(time.time() - start, 2)})
            with lock:
                count[0] += 1
                count[1] += not killer
                if count[0] % 10 == 0 or not queue:
                    left = (time.time() - began) / count[0] * (len(todo) - count[0])
                    print(f"{count[0]}/{len(todo)}, {count[1]} survive, {left / 60:.0f} min left", flush=True)

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
