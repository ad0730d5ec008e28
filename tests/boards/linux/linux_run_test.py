#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vdla board run --board qemu-pci, as users call it: programs of Linux in a guest of QEMU, an engine behind the
kernel's UIO.

usage: linux_run_test.py VDLA KERNEL PROGRAMS SOURCE CC ENGINE programs|networks|bring_up   PROGRAMS: the folder of examples/linux;
exit status 77: skipped, the line says why
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
# Prints what it was given and ends as it is told: by an exit status, or by a signal.
PROGRAM = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  char text[64] = "";
  FILE* file = fopen("note.txt", "r");
  if (file == 0 || fgets(text, sizeof text, file) == 0) return 99;
  printf("%d [%s] %s\\n", argc, argv[1], text);
  fflush(stdout);
  if (argc == 3) raise(SIGSEGV);
  if (argv[1][0] == 'w') sleep(1000);
  return 7;
}
"""


class Runs:
    def __init__(self, vdla, kernel):
        self.start = [vdla, "board", "run"]
        self.flags = ["--board", "qemu-pci", "--kernel", kernel]

    def run(self, program, *words, status=0, timeout=240):
        done = subprocess.run([*self.start, program, *self.flags, *words], capture_output=True, text=True, timeout=timeout)
        assert done.returncode == status, (done.returncode, words, done.stdout, done.stderr)
        return done

    def json(self, program, *words):
        return json.loads(self.run(program, "--json", *words).stdout)


def check_increment(runs, increment, source, vdla, engine):
    """A thousand interrupts, none lost, and the cycles of a run in this process."""
    result = runs.json(increment, "--engine", engine)
    assert result["output"].startswith("1000 runs, ") and " 0 lost, " in result["output"], result
    assert result["output"].endswith("last values 127 127 127 80\n"), result
    assert result["runs"] == 1000 and result["interrupts"] >= 1000, result
    here = subprocess.run([vdla, "run", source, "--variant", "tiny", "--engine", engine, "--window", "input=4096", "--window",
                           "output=4096", "--json"], capture_output=True, text=True, check=True)
    assert result["last_cycles"] == json.loads(here.stdout)["cycles"], (result, here.stdout)


def check_network(runs, classify, module, vdla, engine):
    """Outputs are those of this process (the program compares them), and so are the cycles."""
    said = runs.run(classify, "--engine", engine).stdout
    cycles = {int(line.split(", ")[1].split()[0]) for line in said.splitlines() if ": class " in line}
    here = subprocess.run([vdla, "run", module, "--engine", engine, "--random-input", "1", "--json"], capture_output=True, text=True,
                          check=True)
    assert cycles == {json.loads(here.stdout)["cycles"]}, (said, here.stdout)


def check_module(runs, network, vdla, engine, folder):
    """vdla-run in the guest: outputs and cycles are those of this process."""
    module = folder / "net.vdla"
    subprocess.run([vdla, "compile", network, "--variant", "tiny", "-o", module], capture_output=True, check=True)
    words = ["--engine", engine, "--random-input", "1"]
    begin = time.monotonic()
    said = runs.run(module, *words).stdout
    print(f"a module in the guest: {time.monotonic() - begin:.1f} s")
    here = subprocess.run([vdla, "run", module, *words], capture_output=True, text=True, check=True).stdout
    results = [line for line in here.splitlines() if line.startswith(("output ", "  "))]
    assert len(results) > 2 and set(results) <= set(said.splitlines()), (said, here)
    cycles = next(line.split()[1] for line in here.splitlines() if line.startswith("total "))
    assert f"total {cycles} cycles on UIO device vdla, " in said, (said, here)
    there = runs.json(module, *words)
    here = json.loads(subprocess.run([vdla, "run", module, "--json", *words], capture_output=True, text=True, check=True).stdout)
    assert there["outputs"] == [{name: output[name] for name in ("name", "shape", "values")} for output in here["outputs"]], (there, here)
    assert there["report"]["cycles"] == there["cycles"] == here["cycles"] and there["output"] == "", (there, here)
    refused = json.loads(runs.run(module, "--json", *words, "--argument=--output", "--argument=none/out.npy", status=1).stdout)
    assert "none/out.npy" in refused["report"]["error"] and "outputs" not in refused, refused


def check_eval(runs, network, inputs, vdla, engine, folder):
    """vdla eval in the guest: the outputs and cycles of an engine in this process."""
    module = folder / "eval.vdla"
    subprocess.run([vdla, "compile", network, "--variant", "tiny", "-o", module], capture_output=True, check=True)
    words = ["--inputs", inputs.name, "--limit", "3", "--labels", "labels.csv", "--json"]
    here = json.loads(subprocess.run([vdla, "eval", module, "--engine", engine, *words], capture_output=True, check=True, cwd=inputs.parent).stdout)
    said = runs.run(vdla, "--engine", engine, *[word for file in (module, inputs, inputs.parent / "labels.csv") for word in ("--file", file)],
                    *[f"--argument={word}" for word in ("eval", module.name, "--uio", "vdla", *words)]).stdout
    # The console is a terminal: a run that takes long enough shows its progress there, before the object.
    begin = re.search(r"\{$", said, re.MULTILINE)
    assert begin, said
    there, _ = json.JSONDecoder().raw_decode(said[begin.start():])
    assert there["engine"] == "UIO device vdla", there
    assert all(there[key] == here[key] for key in ("count", "correct", "classes", "cycles_per_input")), (here, there)


def check_another_geometry(runs, network, vdla, folder):
    """Each number that differs and a command that makes a module that fits, which does: on the desk, and in the guest
    by vdla-run."""
    module, described, raw = folder / "paper.vdla", folder / "device.json", folder / "input.bin"
    compile_for = [vdla, "compile", network, "-o", module, "--variant"]
    subprocess.run([*compile_for, "paper"], capture_output=True, check=True)
    raw.write_bytes(bytes(256))
    said = runs.run(module, "--random-input", "1", status=1).stderr
    assert "block_in is 4, needs 16; block_out is 4, needs 16" in said and said.endswith("vdla compile NETWORK --variant board:qemu-pci\n"), said
    runner = pathlib.Path(vdla).parent / "vdla-run"
    words = ["--file", raw, "--file", module, "--argument", module.name, "--argument=--input", "--argument", raw.name]
    said = runs.run(runner, *words, status=1).stdout
    assert "block_in is 4, needs 16; block_out is 4, needs 16" in said and "vdla-run --describe > device.json" in said, said
    said = runs.run(runner, "--argument=--describe").stdout
    described.write_text(said[:said.index("\nqemu-pci: ") + 1])
    subprocess.run([*compile_for, described], capture_output=True, check=True)
    assert "\noutput " in runs.run(runner, *words).stdout


def check_resnet8(runs, source, data, vdla, cc, engine, folder):
    """A program that is built by hand, of what the command writes and the sources of the driver."""
    net, program = folder / "resnet8", folder / "resnet8_program"
    subprocess.run([vdla, "compile", data / "mlperf_tiny/models/pretrainedResnet_quant.tflite", "--variant", "tiny", "--emit", "c",
                    "--name", "net", "--cpu-target", "x86-64", "--answers", data / "cifar10/cifar10_test_dev1000.bin",
                    "--most-answers", "1", "-o", net], check=True, capture_output=True)
    drivers = [file for name in ("core", "linux", "memory", "model", "uio") for file in sorted((source / "driver" / name).glob("*.c"))]
    subprocess.run([cc, "-static", "-O1", "-I", source, "-I", net, "-o", program, source / "examples/linux/classify.c", *drivers,
                    *sorted(net.glob("*.c")), *sorted(net.glob("*.a"))], check=True)
    check_network(runs, program, net / "net.vdla", vdla, engine)


def check_unwired(runs, increment):
    said = runs.run(increment, "--no-interrupt", "--argument", "20").stdout
    assert said.startswith("20 runs, 0 interrupts, ") and "the interrupt is not wired" in said, said


def check_selftest(vdla, kernel, engine):
    """The self test sees under a kernel what it sees in process, but for who configures the fabric, where memory lies
    and how the interrupt comes."""
    def stages(*words):
        done = subprocess.run([vdla, "board", "selftest", "--engine", engine, "--variant", "tiny", "--json", *words], capture_output=True,
                              text=True)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        found = {stage["stage"]: (stage["verdict"], stage["text"]) for stage in json.loads(done.stdout)["stages"]}
        return {**found, **{name: found[name][0] for name in ("fpga", "memory", "interrupt")}}, found
    begin = time.monotonic()
    there, said = stages("--board", "qemu-pci", "--kernel", kernel)
    print(f"the self test in the guest: {time.monotonic() - begin:.1f} s")
    assert there == stages()[0] and said["interrupt"][1].endswith("the interrupt told its end"), said
    assert said["fpga"][1] == "nobody can be asked: /sys/class/fpga_manager has no FPGA manager", said


def check_bring_up(runs, vdla):
    """Commands of vdla board in the guest: a thousand interrupts, and a line that is not wired."""
    def bring_up(*words, flags=(), status=0):
        return runs.run(vdla, *flags, *[f"--argument={word}" for word in ("board", *words, "--uio", "vdla")], status=status).stdout
    said = bring_up("irq")
    assert "1000 programs, 1000 ends told by the interrupt, 0 lost, 0 interrupts without cause" in said, said
    said = bring_up("irq", flags=["--no-interrupt"], status=1)
    assert "the interrupt is not wired, or its controller has it off: none of 5 came" in said, said


def check_program(runs, cc, folder):
    """Arguments, files, the exit status, a signal."""
    (folder / "program.c").write_text(PROGRAM)
    program = folder / "program"
    subprocess.run([cc, "-static", "-o", program, folder / "program.c"], check=True)
    (folder / "note.txt").write_text("from a file")
    with_note = ["--file", folder / "note.txt"]
    said = runs.run(program, *with_note, "--argument", "two words", status=7).stdout
    assert said.startswith("2 [two words] from a file\nqemu-pci: exit status 7; 0 reads"), said
    said = runs.run(program, *with_note, "--argument=-x", "--argument", "y", status=128 + signal.SIGSEGV).stdout
    assert said.startswith("3 [-x] from a file\n"), said
    return program, with_note


def processes_with(text):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and text in (entry / "cmdline").read_text():
                found.append(entry.name)
        except OSError:
            pass
    return found


def parent_of(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def check_end(runs, program, with_note, image):
    """Whatever ends the command ends its QEMU; other runs on this machine may have the same image."""
    command = subprocess.Popen([*runs.start, program, *runs.flags, *with_note, "--argument", "wait"], stdout=subprocess.PIPE, text=True)
    assert command.stdout.readline() == "2 [wait] from a file\n"
    own = {process for process in processes_with(image) if parent_of(process) == command.pid}
    assert own, f"no child of {command.pid} among the processes with {image}: {processes_with(image)}"
    command.terminate()
    assert command.wait(60) == -signal.SIGTERM
    for _ in range(1000):
        if not own & set(processes_with(image)):
            return
        time.sleep(0.01)
    sys.exit(f"still there: {own & set(processes_with(image))}")


def check_refusals(runs, program, folder):
    said = runs.run(program, "--time-limit", "0.2", status=1).stderr
    assert "the guest did not end within 0.2 s" in said, said
    empty = folder / "empty"
    empty.mkdir()
    said = subprocess.run([*runs.start, program, "--board", "qemu-pci", "--kernel", empty], capture_output=True, text=True).stderr
    assert "boards/linux/get_kernel.sh" in said, said


def check_kernel(vdla, kernel, program, with_note, folder):
    """A cache without the kernel gets it, which is said first, and only then; a script that fails is a sentence.
    Debian's packages are stand-ins with the kernel that is here."""
    stand_ins, cache = folder / "stand-ins", folder / "a cache"
    stand_ins.mkdir()
    def stand_in(name, *lines):
        (stand_ins / name).write_text("\n".join(["#!/bin/sh", *lines, ""]))
        (stand_ins / name).chmod(0o755)
    tree, uio = "x/usr/src/linux-headers-1-cloud-amd64", "x/lib/modules/1-cloud-amd64/kernel/drivers/uio"
    stand_in("apt-cache", 'case $2 in linux-*-cloud-amd64) echo "  Depends: ${2%cloud-amd64}1-cloud-amd64" ;; esac')
    stand_in("dpkg-deb", f"mkdir -p x/boot {tree} {uio}", f"cp '{kernel}/vmlinuz' x/boot/vmlinuz-1-cloud-amd64", f": > {tree}/Makefile",
             f"cp '{kernel}/uio.ko' {uio}")
    stand_in("make", f'for word; do case $word in M=*) cp \'{kernel}/vdla_uio.ko\' "${{word#M=}}" ;; esac; done')
    stand_in("strip")
    environment = {**os.environ, "PATH": f"{stand_ins}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(cache)}
    def run(command, *words):
        return subprocess.run([vdla, "board", command, *words, "--board", "qemu-pci"], capture_output=True, text=True, env=environment)
    run_program = ("run", program, *with_note, "--argument", "some")
    stand_in("apt-get", "echo 'E: no network' >&2", "exit 100")
    for words in (run_program, ("selftest", "--engine", "functional")):
        done = run(*words)
        note, error = done.stderr.splitlines()
        assert done.returncode == 1 and done.stdout == "", done
        assert note.startswith("vdla: note: gets the guest's kernel, ") and f" {cache}/vdla/linux " in note and " 40 MB " in note, done
        assert error.startswith("vdla: error: cannot get the guest's kernel: E: no network get_kernel.sh: error: cannot download "
                                "linux-image-1-cloud-amd64; ") and error.endswith(" by --kernel"), done
    stand_in("apt-get", ": > kernel.deb")
    done = run(*run_program)
    assert done.returncode == 7 and done.stdout.startswith("2 [some] from a file\n"), done
    assert done.stderr.count("\n") == 1 and "gets the guest's kernel, " in done.stderr, done
    done = run(*run_program)
    assert done.returncode == 7 and done.stderr == "", done


def main(vdla, kernel, programs, source, cc, engine, part):
    for program, package in (("qemu-system-x86_64", "qemu-system-x86"),):
        if not shutil.which(program):
            print(f"skipped: {program} is missing: install {package}")
            return SKIPPED
    if not os.path.exists(os.path.join(kernel, "vmlinuz")):
        print(f"skipped: no kernel in {kernel}: boards/linux/get_kernel.sh could not get one")
        return SKIPPED
    runs = Runs(vdla, kernel)
    increment, examples = pathlib.Path(programs) / "increment", pathlib.Path(source) / "examples"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if part == "networks":
            classify, module = pathlib.Path(programs) / "classify", pathlib.Path(programs) / "digits/net.vdla"
            check_network(runs, classify, module, vdla, engine)
            check_module(runs, examples / "digits/digits.onnx", vdla, engine, folder)
            check_another_geometry(runs, examples / "digits/digits.onnx", vdla, folder)
            if data := os.environ.get("VDLA_DATA"):
                check_resnet8(runs, pathlib.Path(source), pathlib.Path(data), vdla, cc, engine, folder)
        elif part == "bring_up":
            check_bring_up(runs, vdla)
            check_eval(runs, examples / "digits/digits.onnx", examples / "digits/images.npy", vdla, engine, folder)
            check_selftest(vdla, kernel, engine)
        else:
            check_increment(runs, increment, examples / "firmware/increment.s", vdla, engine)
            check_unwired(runs, increment)
            program, with_note = check_program(runs, cc, folder)
            check_end(runs, program, with_note, kernel + "/vmlinuz")
            check_refusals(runs, program, folder)
            check_kernel(vdla, kernel, program, with_note, folder)
    print("qemu-pci: all right")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
