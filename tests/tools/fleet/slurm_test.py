#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vdla tune and vdla explore --fleet slurm:PARTITION on a Slurm of two nodes on this machine: workers, the controller
and a node are killed, and book and points are those of a run here.

usage: slurm_test.py VDLA DIGITS.onnx WORK     exit status 77: a program that it needs is missing
"""
import getpass
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAMS = ["slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo"]
CONFIGURATION = """ClusterName=vdla
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/spool.%n
SlurmctldPidFile={work}/slurmctld.pid
SlurmdPidFile={work}/%n.pid
SlurmctldLogFile={work}/slurmctld.log
SlurmdLogFile={work}/%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
SlurmdTimeout=5
MessageTimeout=5
KillWait=2
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
GresTypes=board
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port1} CPUs=1 RealMemory=64 Gres=board:1 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port2} CPUs=1 RealMemory=64 Gres=board:1 State=UNKNOWN
PartitionName=sweep Nodes=n1,n2 Default=YES MaxTime=60 State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Cluster:
    """In a folder of its own: Slurm's configuration takes no names with spaces, as the build's folder may have."""

    def __init__(self, work):
        self.work = work
        self.resumed = 0
        port, port1, port2 = free_ports(3)
        (work / "state").mkdir()
        for node in ("n1", "n2"):
            (work / f"spool.{node}").mkdir()
        (work / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), work=work, port=port, port1=port1, port2=port2))
        (work / "gres.conf").write_text("NodeName=n1,n2 Name=board Count=1\n")
        os.environ["SLURM_CONF"] = str(work / "slurm.conf")
        self.start_controller()
        for node in ("n1", "n2"):
            self.start_node(node)
        self.wait_for({"n1": "idle", "n2": "idle"})
        self.ended = threading.Event()
        self.attendant = threading.Thread(target=self.attend, daemon=True)
        self.attendant.start()

    def start_controller(self):
        subprocess.run(["slurmctld"], check=True)

    def start_node(self, node, before=()):
        subprocess.run([*before, "slurmd", "-N", node], check=True)

    def pid(self, daemon):
        return int((self.work / f"{daemon}.pid").read_text())

    def states(self):
        said = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%N %t"], capture_output=True, text=True).stdout
        return dict(line.split() for line in said.splitlines())

    def said(self):
        """What explains a failure: nodes, why they are not used, and the ends of the daemons' logs."""
        words = [f"nodes are {self.states()}, {self.resumed} resumed"]
        words.append(subprocess.run(["sinfo", "--list-reasons"], capture_output=True, text=True).stdout)
        for daemon in ("slurmctld", "n1", "n2"):
            log = self.work / f"{daemon}.log"
            words.append(f"-- {log.name}\n{log.read_text()[-3000:] if log.exists() else 'is not there'}")
        return "\n".join(words)

    def wait_for(self, states):
        end = time.monotonic() + 60
        while self.states() != states:
            if time.monotonic() > end:
                raise AssertionError(f"needed {states}; {self.said()}")
            time.sleep(0.1)

    def attend(self):
        """As whoever looks after the cluster does (docs/how-to/measure-on-a-cluster.md). A controller that died has
        forgotten what it did at the end, and gives the number of a job that a node knows to another one, or starts that
        job again: the node refuses, and is drained."""
        while not self.ended.wait(0.2):
            said = subprocess.run(["sinfo", "--noheader", "--Node", "--states=drain", "--format=%N %E"], capture_output=True, text=True).stdout
            for line in said.splitlines():
                node, _, reason = line.partition(" ")
                if "Duplicate jobid" in reason:
                    self.resumed += 1
                    subprocess.run(["scontrol", "update", f"nodename={node}", "state=resume"])

    def workers(self, node=""):
        """Processes that measure a batch, those that the worker starts included: pid to its parent."""
        found = {}
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if b"batch" in words and str(WORK).encode() in b" ".join(words) and (not node or node.encode() in words):
                found[int(process.name)] = parent
        return found

    def kill_node(self, node):
        """The node's daemon and all that it has started."""
        kill(self.pid(node))
        of_node = self.workers(node)
        for pid, parent in of_node.items():
            if parent not in of_node:
                kill(parent)  # the daemon of the job's step
            kill(pid)

    def end(self):
        self.ended.set()
        self.attendant.join()
        for daemon in ("slurmctld", "n1", "n2"):
            try:
                kill(self.pid(daemon))
            except (OSError, ValueError):
                pass
        for pid in self.workers():
            kill(pid)
        shutil.rmtree(self.work, ignore_errors=True)


class Commands(unittest.TestCase):
    TRIALS = "280"

    def vdla(self, *words):
        return subprocess.Popen([VDLA, *map(str, words)], cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def result(self, process, status=0):
        out, err = process.communicate(timeout=200)
        self.assertEqual(process.returncode, status, out + err)
        return out, err

    def tune(self, book, *flags, style=("--json",)):
        words = ["--variant", "tiny", "--trials", self.TRIALS, "--batch", "96", "--book", book]
        return self.vdla("tune", "net.onnx", *words, *style, *flags)

    def here(self):
        book = WORK / f"here.{self.TRIALS}.json"
        if not book.exists():
            self.result(self.tune(book, "--jobs", "2"))
        return book.read_text()


class Fleet(Commands):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(pathlib.Path(tempfile.mkdtemp(prefix="vdla_slurm_")))

    @classmethod
    def tearDownClass(cls):
        cls.cluster.end()

    def run(self, result=None):
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before:
            print(f"{self.id()} failed; {self.cluster.said()}", file=sys.stderr)

    def while_it_runs(self, process, *events):
        """One event after the other, each when a worker is there that was not before."""
        seen, waiting, end = set(), list(events), time.monotonic() + 150
        while process.poll() is None:
            if time.monotonic() > end:
                process.kill()
                self.fail(f"it does not end; nodes are {self.cluster.states()}: {process.communicate()}")
            new = set(self.cluster.workers()) - seen
            if new and waiting and waiting[0]():
                waiting.pop(0)
                new = set(self.cluster.workers())
            seen |= new
            time.sleep(0.05)
        self.assertEqual(waiting, [], "it ended before all that was to happen")

    def kill_workers(self):
        for pid in self.cluster.workers():
            kill(pid)
        return True

    def kill_controller(self):
        kill(self.cluster.pid("slurmctld"))
        time.sleep(1.5)
        self.cluster.start_controller()
        return True

    def kill_a_node(self):
        """One that is at work: a search may have no work for both any more."""
        self.killed = next((node for node in ("n2", "n1") if self.cluster.workers(node)), None)
        if self.killed:
            self.cluster.kill_node(self.killed)
        return self.killed is not None

    def revive(self):
        self.cluster.start_node(self.killed)
        self.cluster.wait_for({"n1": "idle", "n2": "idle"})

    def test_1_the_book_is_that_of_a_search_here(self):
        process = self.tune("there.json", "--fleet", "slurm:sweep")
        report = json.loads(self.result(process)[0])
        self.assertEqual((WORK / "there.json").read_text(), self.here())
        self.assertEqual((report["without_cost"], report["lost_nodes"]), (0, []))
        self.assertFalse((WORK / "there.json.fleet").exists(), "nothing of it is left")

    def test_2_workers_controller_and_a_node_are_killed_and_the_book_is_the_same(self):
        process = self.tune("killed.json", "--fleet", "slurm:sweep", "--log", "killed.jsonl")
        self.while_it_runs(process, self.kill_workers, self.kill_controller, self.kill_a_node)
        report = json.loads(self.result(process)[0])
        self.assertEqual((WORK / "killed.json").read_text(), self.here())
        self.assertEqual(report["without_cost"], 0)
        keys = [json.loads(line)["key"] for line in (WORK / "killed.jsonl").read_text().splitlines()]
        self.assertEqual((len(keys), len(set(keys))), (report["measured"], report["measured"]), "each trial once")
        self.revive()

    def test_3_all_points_of_a_sweep_come_in(self):
        words = ["explore", "--network", "net.onnx", "--axis", "array=1x4x4,1x4x8,1x8x8", "--axis", "dram_latency=48,100", "--json"]
        here = json.loads(self.result(self.vdla(*words, "-o", "here", "--jobs", "2"))[0])
        process = self.vdla(*words, "-o", "there", "--fleet", "slurm:sweep:3")
        self.while_it_runs(process, self.kill_workers, self.kill_controller)
        there = json.loads(self.result(process)[0])
        self.assertEqual([p["status"] for p in there["points"]], ["ok"] * 6)
        self.assertEqual([p["cycles"] for p in there["points"]], [p["cycles"] for p in here["points"]])
        self.cluster.wait_for({"n1": "idle", "n2": "idle"})

    def test_4_a_killed_search_goes_on(self):
        process = self.tune("on.json", "--fleet", "slurm:sweep", "--log", "on.jsonl")
        while process.poll() is None and not self.cluster.workers():
            time.sleep(0.02)
        process.kill()
        process.communicate()
        self.result(self.tune("on.json", "--fleet", "slurm:sweep", "--log", "on.jsonl"))
        self.assertEqual((WORK / "on.json").read_text(), self.here())

    def test_5_a_node_that_sees_another_network_is_drained(self):
        (WORK / "other.onnx").write_bytes(DIGITS.read_bytes() + b"\0")
        space = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', WORK / "other.onnx", WORK / "net.onnx"]
        if subprocess.run([*space, "true"], capture_output=True).returncode != 0:
            self.skipTest("no rights to mount a file over another one")
        kill(self.cluster.pid("n2"))
        time.sleep(0.3)
        self.cluster.start_node("n2", space)
        self.cluster.wait_for({"n1": "idle", "n2": "idle"})
        out, err = self.result(self.tune("drained.json", "--fleet", "slurm:sweep:2"))
        self.assertEqual((WORK / "drained.json").read_text(), self.here())
        self.assertFalse((WORK / "drained.json.fleet").exists(), "nothing of it is left, the log of the lost task neither")
        lost = json.loads(out)["lost_nodes"]
        self.assertEqual([row["node"] for row in lost], ["n2"])
        self.assertIn("is another file here than where the work comes from", lost[0]["reason"])
        said = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%N %T %E"], capture_output=True, text=True).stdout
        self.assertRegex(said, r"n2 drain\w* vdla: .*net\.onnx is another file")

    def serve(self, name, *flags):
        """A board: its process and its address."""
        with open(WORK / f"{name}.log", "w") as log:
            board = subprocess.Popen([VDLA, "board", "serve", "--json", "--listen", "127.0.0.1:0", "--cache", WORK / f"{name}.cache",
                                      "--variant", "tiny", "--engine", "systemc", *flags], stdout=subprocess.PIPE, stderr=log, text=True)
        self.addCleanup(board.stdout.close)
        self.addCleanup(board.wait)
        self.addCleanup(board.kill)
        text = ""
        while not text.endswith("}\n"):
            line = board.stdout.readline()
            self.assertTrue(line, (WORK / f"{name}.log").read_text())
            text += line
        return board, json.loads(text)["address"]

    def leases(self, name):
        return (WORK / f"{name}.log").read_text().count("leased to")

    def boards(self, **of_nodes):
        rows = [{"host": address, "node": node} for node, address in of_nodes.items()]
        (WORK / "boards.json").write_text(json.dumps({"boards": rows}))

    def revive_drained(self, node):
        subprocess.run(["scontrol", "update", f"nodename={node}", "state=resume"], check=True)
        self.cluster.wait_for({"n1": "idle", "n2": "idle"})

    def test_4a_boards_are_leased_by_the_queue(self):
        self.boards(n1=self.serve("first")[1], n2=self.serve("second")[1])
        out, _ = self.result(self.tune("boards.json.book.json", "--fleet", "slurm:sweep", "--boards", "boards.json", "--log", "boards.jsonl"))
        self.assertEqual((WORK / "boards.json.book.json").read_text(), self.here())
        report = json.loads(out)
        self.assertEqual((report["without_cost"], report["lost_nodes"]), (0, []))
        self.assertTrue(self.leases("first") > 0 and self.leases("second") > 0, "both have measured")

    def test_4b_a_node_whose_board_does_not_work_is_drained_with_what_it_said(self):
        broken = WORK / "broken"
        broken.touch()
        self.boards(n1=self.serve("works")[1], n2=self.serve("fails", "--reset-command", f"test ! -e '{broken}'")[1])
        out, _ = self.result(self.tune("broken.json", "--fleet", "slurm:sweep", "--boards", "boards.json"))
        self.assertEqual((WORK / "broken.json").read_text(), self.here())
        lost = json.loads(out)["lost_nodes"]
        self.assertEqual([row["node"] for row in lost], ["n2"])
        self.assertIn("ended with status 1", lost[0]["reason"])
        said = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%N %T %E"], capture_output=True, text=True).stdout
        self.assertRegex(said, r"n2 drain\w* vdla: board 127\.0\.0\.1:\d+: .*ended with status 1")
        self.revive_drained("n2")

    def test_4c_a_board_that_does_not_answer_drains_no_node(self):
        server, address = self.serve("gone")
        server.kill()
        server.wait()
        self.boards(n1=self.serve("here")[1], n2=address)
        out, _ = self.result(self.tune("gone.json", "--fleet", "slurm:sweep", "--boards", "boards.json"))
        self.assertEqual((WORK / "gone.json").read_text(), self.here())
        self.assertEqual([row["node"] for row in json.loads(out)["lost_nodes"]], ["n2"])
        self.cluster.wait_for({"n1": "idle", "n2": "idle"})

    def test_4d_boards_that_nobody_can_have_are_named(self):
        process = self.tune("no.json", "--fleet", "slurm:sweep", "--boards", "boards.json", "--gres", "card:1")
        self.assertRegex(self.result(process, 1)[0], "sbatch takes nothing: .*(gres|GRES)")
        self.boards(n3="127.0.0.1:1")
        said = self.result(self.tune("no.json", "--fleet", "slurm:sweep", "--boards", "boards.json"), 1)[0]
        self.assertRegex(said, r"no node of the partition can be used:\\n  n1: .*boards\.json has no board of node 'n1'.*\\n  n2: ")
        self.assertIn("cannot read", self.result(self.tune("no.json", "--fleet", "slurm:sweep", "--boards", "none.json"), 1)[0])
        said = "".join(self.result(self.tune("no.json", "--fleet", "slurm:sweep", "--boards", "boards.json", "--gres", "board"), 2))
        self.assertIn("'board' needs NAME:1", said)
        self.assertIn("is a list on the nodes of --fleet slurm:PARTITION", self.result(self.tune("no.json", "--boards", "boards.json"), 1)[0])

    def test_6_refusals_name_what_is_wrong(self):
        self.assertIn("sbatch takes nothing: ", self.result(self.tune("no.json", "--fleet", "slurm:none"), 1)[0])
        (WORK / "no.batch.json").write_text("{}")
        err = self.result(self.vdla("batch", "no.batch.json", "-o", "no.result.json"), 1)[1]
        self.assertIn('is no "vdla batch 1" of this kit', err)
        batch = {"format": "vdla batch 1", "kind": "trials", "kit": "0", "head": {}, "items": []}
        (WORK / "no.batch.json").write_text(json.dumps(batch))
        self.result(self.vdla("batch", "no.batch.json", "-o", "no.result.json"))
        self.assertIn("is another program here", json.loads((WORK / "no.result.json").read_text())["lost"])

    def test_7_a_percent_sign_in_the_folder_is_one(self):
        process = self.vdla("explore", "--network", "net.onnx", "--axis", "array=1x4x4", "-o", "50%A %j", "--fleet", "slurm:sweep", "--json")
        self.assertEqual([p["status"] for p in json.loads(self.result(process)[0])["points"]], ["ok"])
        self.assertFalse((WORK / "50%A %j" / "fleet").exists(), "the log of the task is there and is removed")


SBATCH = """#!/bin/sh
echo "sbatch $*" >>calls
for word; do case $word in --array=*) last=${{word##*-}};; esac; script=$word; done
call=$(grep -c ^sbatch calls)
{before}
i=0; while [ $i -le $last ]; do SLURM_ARRAY_TASK_ID=$i SLURMD_NODENAME=node$call sh "$script" >/dev/null 2>&1; i=$((i+1)); done
{after}
echo $call
"""
# The worker's trials are late, the one with default knobs, too; the batches are as before then.
ALL_LATE = """for b in *.fleet/????????????????.json; do cp $b $b.kept; sed -i 's/"limit": *[0-9.]*/"limit":0.0001/' $b; done"""
AS_BEFORE = """for b in *.fleet/*.kept; do mv $b ${b%.kept}; done"""


class StandIns(Commands):
    """Commands that stand for Slurm's and do what real ones rarely do; a submission runs its tasks at once, the first
    one on `node1`, and the file `calls` has what was called."""
    TRIALS = "16"

    def setUp(self):
        self.folder = WORK / self._testMethodName
        self.folder.mkdir()
        shutil.copy(DIGITS, self.folder / "net.onnx")
        for program in ("squeue", "scancel", "scontrol"):
            self.program(program, f'#!/bin/sh\necho "{program} $*" >>"{self.folder}/calls"\n')

    def program(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def sbatch(self, before="", after=""):
        self.program("sbatch", SBATCH.format(before=before, after=after))

    def vdla(self, *words):
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        return subprocess.Popen([VDLA, *map(str, words)], cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def calls(self, program):
        return [line for line in (self.folder / "calls").read_text().splitlines() if line.startswith(program)]

    def book_is_that_of_a_search_here(self):
        self.assertEqual((self.folder / "book.json").read_text(), self.here())
        self.assertFalse((self.folder / "book.json.fleet").exists(), "nothing of it is left")

    def test_a_network_that_changed_here_drains_nothing(self):
        self.sbatch(before="printf x >>net.onnx")
        out, _ = self.result(self.tune("book.json", "--fleet", "slurm:sweep"), 1)
        self.assertRegex(out, r"net\.onnx has changed since this command began; start it again")
        self.assertEqual(self.calls("scontrol"), [])

    def test_a_node_whose_default_trial_is_late_is_left_out_and_not_drained(self):
        self.sbatch(before=f"[ $call != 1 ] || {{ {ALL_LATE}; }}", after=f"[ $call != 1 ] || {{ {AS_BEFORE}; }}")
        out, _ = self.result(self.tune("book.json", "--fleet", "slurm:sweep"))
        self.book_is_that_of_a_search_here()
        self.assertEqual([row["node"] for row in json.loads(out)["lost_nodes"]], ["node1"])
        self.assertEqual(self.calls("scontrol"), [])
        self.assertTrue(all("--exclude=node1" in call for call in self.calls("sbatch")[1:]))

    def test_results_of_a_killed_run_that_are_lost_or_unreadable_are_made_again(self):
        for name, makes, text in (("lost", "", "it took more than"), ("unreadable", 'echo "{" >$r; ', "{")):
            book = f"{name}.json"
            self.sbatch(before=ALL_LATE, after=f"for b in {book}.fleet/*.kept; do r=${{b%.json.kept}}.result.json; {makes}done; {AS_BEFORE}; kill -9 $PPID")
            self.result(self.tune(book, "--fleet", "slurm:sweep"), -signal.SIGKILL)
            left = list((self.folder / f"{book}.fleet").glob("*.result.json"))
            self.assertTrue(left)
            for result in left:
                self.assertIn(text, result.read_text())
            self.sbatch()
            out, _ = self.result(self.tune(book, "--fleet", "slurm:sweep"))
            self.assertEqual((self.folder / book).read_text(), self.here())
            self.assertEqual(json.loads(out)["lost_nodes"], [])

    def test_an_error_leaves_no_task_in_the_queue(self):
        self.sbatch(after="for b in *.fleet/????????????????.json; do echo '{' >${b%.json}.result.json; done")
        self.result(self.tune("book.json", "--fleet", "slurm:sweep"), 1)
        self.assertIn("--name=vdla-", self.calls("scancel")[-1])

    def test_a_refusing_controller_is_asked_seldom_and_what_it_took_is_cancelled(self):
        self.sbatch(before=f"[ $call != 1 ] || {{ {ALL_LATE}; }}\n[ $call != 2 ] || date +%s >refused\n"
                           "[ $call = 1 ] || [ $(date +%s) -gt $(($(cat refused) + 2)) ] || "
                           "{ echo $(($call - 1)) >refusals; echo busy; exit 1; }",
                    after=f"[ $call != 1 ] || {{ {AS_BEFORE}; }}")
        _, err = self.result(self.tune("book.json", "--fleet", "slurm:sweep", style=()))
        self.book_is_that_of_a_search_here()
        self.assertIn("sbatch: busy; nodes left out: node1; trying on", err)
        self.assertLessEqual(int((self.folder / "refusals").read_text()), 2)
        self.assertTrue(self.calls("scancel"), "an sbatch that was too late may have submitted")

    def test_a_controller_that_is_late_with_the_first_submission_has_refused_nothing(self):
        self.sbatch(before="[ $call != 1 ] || { echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation'; exit 1; }")
        _, err = self.result(self.tune("book.json", "--fleet", "slurm:sweep", style=()))
        self.book_is_that_of_a_search_here()
        self.assertIn("Socket timed out on send/recv operation; trying on", err)
        self.assertTrue(self.calls("scancel"), "it may have submitted")

    def test_a_folder_with_a_backslash_is_refused(self):
        self.sbatch()
        self.assertIn("backslash in its name", self.result(self.tune("a\\b.json", "--fleet", "slurm:sweep"), 1)[0])

    def test_wrong_flags_have_status_2_for_search_and_sweep(self):
        for fleet, words in {"slurm:": "needs slurm:PARTITION", "slurm:sweep:0": "needs 1 to 64"}.items():
            for process in (self.tune("no.json", "--fleet", fleet), self.vdla("explore", "--network", "net.onnx", "--fleet", fleet)):
                said = "".join(self.result(process, 2))
                self.assertIn(words, said)
                self.assertEqual(said.count("--fleet"), 1, said)

    def test_errors_of_a_batch_begin_with_its_name(self):
        kit = {"format": "vdla batch 1", "kind": "trials", "kit": "0", "head": {}, "items": []}
        (self.folder / "b.json").write_text(json.dumps(kit))
        self.result(self.vdla("batch", "b.json", "-o", "r.json"))
        kit["kit"] = re.search(r"another program here \((\w+)\)", (self.folder / "r.json").read_text())[1]
        (self.folder / "b.json").write_text(json.dumps(kit))
        self.assertIn('b.json: the batch lacks "model"', self.result(self.vdla("batch", "b.json", "-o", "r.json"), 1)[1])


if __name__ == "__main__":
    VDLA, DIGITS, WORK = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        print(f"slurm_test: Skipped\n{', '.join(missing)} missing (scripts/packages/test.txt)")
        sys.exit(77)
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    shutil.copy(DIGITS, WORK / "net.onnx")
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    suite = unittest.TestSuite(load(kind) for kind in (StandIns, Fleet))
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
