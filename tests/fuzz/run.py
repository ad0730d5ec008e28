#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the sanitizer tree's fuzz targets and runs each for a while, from seeds that the tests have anyway. Prints
cases and processor time of each target; a finding ends with status 1 and names the file that shows it.

A folder in seeds/TARGET is a format, TARGET/FORMAT: a run of the target from these seeds alone.

A campaign:  tests/fuzz/run.py --build build-asan --vdla build/bin/vdla --seconds 600 --corpus corpus --record
What counts: tests/fuzz/run.py --build build-asan --vdla build/bin/vdla --table
One target:  tests/fuzz/run.py --build build-asan --vdla build/bin/vdla --only onnx --seconds 60
One format:  tests/fuzz/run.py --build build-asan --vdla build/bin/vdla --only onnx/qdq --cases 10000
All models:  tests/fuzz/run.py --build build-asan --vdla build/bin/vdla --only onnx --only tflite --once
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
# Longest input of a target in bytes. Large files slow the fuzzer down and show nothing that small ones do not.
MAX_BYTES = {"assembler": 8192, "json": 32768, "onnx": 16384, "tflite": 16384, "module": 65536, "image": 16384}
USUAL_MAX_BYTES = 4096
# Campaigns so far. A row counts for a target as long as no source that the target links has changed.
CAMPAIGNS = HERE / "campaigns.json"
# What a fuzzer that SIGINT or SIGTERM ends exits with.
INTERRUPTED = 72
# Processor time that a reader may take for one input, in seconds: more is a finding.
UNIT_SECONDS = 20
# Limits of a reader: more is a finding. The fuzzer's timeout is on the clock, so it is longer beside other
# work; only_waited() judges the rest.
LIMITS = [f"-timeout={round(UNIT_SECONDS * max(1, os.getloadavg()[0] / os.cpu_count()))}", "-rss_limit_mb=2048", "-malloc_limit_mb=1024"]

# Few changes in a row leave more files that are accepted; an entropy over the features of a compiler would take two
# thirds of the time.
MUTATING = ["-mutate_depth=2", "-entropic=0"]


def targets_of(program):
    """Names of the program's targets: its own, and one for each format."""
    return [program.name, *(f"{program.name}/{f.name}" for f in sorted((HERE / "seeds" / program.name).glob("*")) if f.is_dir())]


def seed_files(target, vdla, folder):
    """Files that the target begins with: those of the tree, of the shared data where there is any, and freshly compiled
    modules."""
    seeds = sorted(f for f in (HERE / "seeds" / target).rglob("*") if f.is_file())
    regressions = ROOT / "tests/regressions"
    data = os.environ.get("VDLA_DATA")
    if target in ("loop", "graph", "assembler", "onnx", "tflite"):
        ending = {"loop": ".loop", "assembler": ".s"}.get(target, "." + target)
        places = [regressions, ROOT / "tests/compiler", ROOT / "tests/isa", ROOT / "examples"]
        seeds += [f for place in places for f in sorted(place.rglob("*" + ending))]
        if data:
            seeds += sorted(pathlib.Path(data).resolve().rglob("*" + ending))
    if target == "intrinsics":
        seeds += sorted((ROOT / "examples").rglob("*.intrinsic"))
    if target == "variants":
        seeds += sorted((ROOT / "isa/variants").glob("*.json"))
    if target == "image":
        seeds += sorted((ROOT / "tests/regressions/images").glob("*")) + small_pngs(folder)
    if target == "npy":
        seeds += sorted(regressions.rglob("*.npy"))
    if target == "json":
        seeds += json_files(vdla, folder)
    if target == "words":
        seeds += words_of_assembly(vdla, folder)
    if target == "module":
        seeds += modules(vdla, folder)
    return seeds


def small_pngs(folder):
    """8x8 pixels of each colour type: grey, RGB, palette, grey with alpha, RGBA."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    made = []
    for colour, channels in ((0, 1), (2, 3), (3, 1), (4, 2), (6, 4)):
        header = struct.pack(">IIBBBBB", 8, 8, 8, colour, 0, 0, 0)
        palette = chunk(b"PLTE", bytes(range(3 * 64))) if colour == 3 else b""
        rows = b"".join(b"\0" + bytes((y * 8 + x) % 64 for x in range(8) for _ in range(channels)) for y in range(8))
        target = folder / f"colour{colour}.png"
        target.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + palette + chunk(b"IDAT", zlib.compress(rows))
                           + chunk(b"IEND", b""))
        made.append(target)
    return made


def words_of_assembly(vdla, folder):
    """Programs of the tests as bytes."""
    made = []
    for source in sorted((ROOT / "tests/isa/goldens").glob("*.s")):
        target = folder / (source.stem + ".bin")
        if subprocess.run([vdla, "asm", source, "-o", target], capture_output=True).returncode == 0:
            made.append(target)
    return made


def json_files(vdla, folder):
    """Sweeps, parts and a run record, behind the letter by which the target knows them."""
    record, module = folder / "run.json", modules(vdla, folder)[0]
    make_seed([vdla, "run", module, "--engine", "systemc", "--random-input", "1", "--record", record])
    kinds = [("s", ROOT / "examples/explore/sweep100.json"), ("p", ROOT / "examples/explore/zynq7020.json"), ("r", record)]
    for letter, source in kinds:
        (folder / f"{letter}.seed").write_bytes(letter.encode() + source.read_bytes())
    small_sweep = {"networks": ["resnet8"], "axes": {"array": ["1x8x8", "2x4x4"], "wgt_kib": [16]}, "points": ["vta", {"name": "x"}]}
    (folder / "small.seed").write_text("s" + json.dumps(small_sweep))
    return sorted(folder.glob("*.seed"))


def make_seed(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} gives no seed:\n{done.stderr}")


def modules(vdla, folder):
    """A network on the device first, then layers on the CPU that are so small that the target runs them, two of them
    for a GPU; then one whose layers have several kernels."""
    small = ["cmsis_mul.tflite", "pad_avgpool.onnx", "pad_conv.onnx", "pad_maxpool.onnx", "quant_tie.tflite", "two.onnx"]
    models = [(ROOT / "examples/digits/digits.onnx", ["--variant", "tiny"])]
    models += [(ROOT / "tests/regressions/repro" / name, ["--target", "cpu"]) for name in small]
    models += [(ROOT / "tests/regressions/repro" / name, ["--target", "opencl"]) for name in small[:2]]
    models += [(ROOT / "examples/digits/digits.onnx", ["--target", "cpu", "--adapt"])]
    made = []
    for model, flags in models:
        target = folder / f"{model.stem}-{flags[-1]}.vdla"
        make_seed([vdla, "compile", model, "-o", target, *flags])
        made.append(target)
    return made


def build(folder, jobs, options, target):
    environment = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs)}
    configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Asan", "-DVDLA_UNITY=ON", *options]
    for command in (configure, ["cmake", "--build", folder, "--target", target]):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{(done.stdout + done.stderr)[-6000:]}")


def sources_digest(folder, target):
    """SHA-256 over the project's own files that the target is made of, headers included."""
    def ninja(*words):
        return subprocess.run(["ninja", "-C", folder, "-t", *words], check=True, capture_output=True, text=True).stdout
    inputs = ninja("inputs", f"fuzz/{target}").splitlines()
    headers = ninja("deps", *[i for i in inputs if i.endswith(".o")])
    paths = {(folder / line.strip()).resolve() for line in inputs + headers.splitlines() if line.strip()}
    tree, made = ROOT.resolve(), folder.resolve()
    own = sorted(p for p in paths if p.is_relative_to(tree) and not p.is_relative_to(made) and p.is_file()
                 and p.suffix in (".cpp", ".h", ".fbs", ".in", ".json"))
    digest = hashlib.sha256()
    for path in own:
        digest.update(str(path.relative_to(tree)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def print_table(folder, programs):
    """Processor time and cases of each target, over the campaigns that still count."""
    campaigns = json.loads(CAMPAIGNS.read_text()) if CAMPAIGNS.exists() else []
    total = 0.0
    for program, target in programs:
        digest = sources_digest(folder, program.name)
        rows = [r for r in campaigns if r["target"] == target and r["sources"] == digest]
        hours = sum(r["processor_seconds"] for r in rows) / 3600
        total += hours
        ran = sum(r.get("networks", {}).get("ran", 0) for r in rows)
        print(f"{target:16} {hours:6.2f} h {sum(r['cases'] for r in rows):12} cases, "
              f"{sum(r['finding'] for r in rows)} findings" + (f", {ran} networks ran" if ran else ""))
    print(f"{'all':16} {total:6.2f} h")


def fuzz(program, target, seeds, corpus, limits, artifacts):
    """Each seed once, then mutations of them until a limit is reached. Returns (cases, processor seconds, output of all
    runs, failed)."""
    longest = MAX_BYTES.get(program.name, USUAL_MAX_BYTES)
    corpus.mkdir(parents=True, exist_ok=True)
    small = [s.read_bytes() for s in seeds if s.stat().st_size <= longest]
    for content in small:
        (corpus / f"seed-{hashlib.sha256(content).hexdigest()[:16]}").write_bytes(content)
    if not small:
        sys.exit(f"target {target} has no seeds of at most {longest} bytes: the readers would see nothing but noise")
    cases, used, output, failed = 0, 0.0, "", False
    while not failed:
        # The fuzzer counts seconds on the clock; beside other work that is less of the processor.
        left = [f"-max_total_time={max(1, round(limits.seconds - used))}"] if limits.seconds else [f"-runs={limits.cases - cases}"]
        seed = [f"-seed={limits.seed}"] if limits.seed else []
        done, seconds, told, failed = run_program(
            [program, corpus, *left, *seed, f"-max_len={longest}", "-print_final_stats=1", "-verbosity=0", *MUTATING,
             f"-artifact_prefix={artifacts}/{target.replace('/', '-')}-", *LIMITS], r"stat::number_of_executed_units:\s*(\d+)")
        cases += done
        used += seconds
        output += told
        failed = failed and not only_waited(program, told)
        if used >= limits.seconds - 0.5 if limits.seconds else cases >= limits.cases:
            break
    return cases, used, output, failed


def only_waited(program, output):
    """Whether a run ended because an input took longer than UNIT_SECONDS on the clock, and takes less of the
    processor."""
    timeout = re.search(r"libFuzzer: timeout", output) and re.search(r"Test unit written to (\S+)", output)
    if not timeout:
        return False
    unit = pathlib.Path(timeout[1])
    limits = [limit for limit in LIMITS if not limit.startswith("-timeout=")]
    _, used, _, failed = run_program([program, *limits, f"-timeout={100 * UNIT_SECONDS}", unit], r"^Executed ")
    if failed or used >= UNIT_SECONDS:
        return False
    print(f"{program.name}: {unit.name} took more than {UNIT_SECONDS} s beside other work, and {used:.1f} s of the processor: no finding", flush=True)
    unit.unlink()
    return True


def run_once(program, target, seeds, artifacts):
    """Each seed once, whatever its size, and nothing else. Returns as fuzz()."""
    cases, used, output, failed = run_program([program, f"-artifact_prefix={artifacts}/{target.replace('/', '-')}-", *LIMITS, *seeds], r"^Executed ")
    if not failed and cases != len(seeds):
        return cases, used, f"{cases} of {len(seeds)} files were read\n{output}", True
    return cases, used, output, failed


def networks(output):
    """Counts of what became of the networks that a target imported, over all its runs; empty for other targets."""
    counts = {}
    for line in re.findall(r"^networks: (.*)$", output, re.MULTILINE):
        for number, what in re.findall(r"(\d+) ([a-z ]+)", line):
            counts[what] = counts.get(what, 0) + int(number)
    return counts


def run_program(command, counter):
    """`counter` finds how many cases ran: its number, or how often it is found."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=0:malloc_context_size=8",
                   "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace", env=environment)
    if done.returncode == INTERRUPTED:
        sys.exit("run.py: interrupted; what was recorded of targets before this one stays")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counted = re.findall(counter, done.stderr, re.MULTILINE)
    cases = int(counted[-1]) if counted and counted[-1].isdigit() else len(counted)
    return cases, used, done.stderr, done.returncode != 0


def record(commit, digest, target, seeds, cases, used, failed, counts):
    """One more row of CAMPAIGNS."""
    campaigns = json.loads(CAMPAIGNS.read_text()) if CAMPAIGNS.exists() else []
    campaigns.append({"commit": commit, "date": datetime.date.today().isoformat(), "sources": digest, "target": target, "seeds": seeds,
                      "cases": cases, "processor_seconds": round(used, 1), "finding": failed,
                      **({"networks": counts} if counts else {})})
    CAMPAIGNS.write_text("[\n" + ",\n".join(f"  {json.dumps(c)}" for c in campaigns) + "\n]\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the sanitizer tree; made when it is not there")
    parser.add_argument("--vdla", type=pathlib.Path, required=True, help="the command, for seeds that are compiled")
    parser.add_argument("--seconds", type=int, help="processor time for each target; 5 unless --cases is given")
    parser.add_argument("--cases", type=int, help="for each target, in the place of a time")
    parser.add_argument("--seed", type=int, help="of the fuzzer, so that a run can be repeated; another one each time unless given")
    parser.add_argument("--once", action="store_true", help="only the seeds, each once, whatever its size")
    parser.add_argument("--need-data", action="store_true", help="status 77 without the folder of shared models and vectors, VDLA_DATA")
    parser.add_argument("--only", action="append", help="this target only; may be given several times")
    parser.add_argument("--corpus", type=pathlib.Path, help="kept from run to run; default: a temporary folder")
    parser.add_argument("--record", action="store_true", help=f"add the rows to {CAMPAIGNS.relative_to(ROOT)}")
    parser.add_argument("--table", action="store_true", help="only print which campaigns still count")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--configure", action="append", default=[], metavar="-DNAME=VALUE", help="for the sanitizer tree; may be given several times")
    parser.add_argument("--target", default="vdla-sanitized", help="of the sanitizer tree, to be built; default: everything that runs in it")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--no-build", action="store_true", help="the sanitizer tree is as it should be")
    flags = parser.parse_args()
    if flags.once and flags.record:
        parser.error("--record counts what was fuzzed, which --once does not do")
    if flags.no_build and flags.record:
        parser.error("--record notes the sources of what runs, so they must have been built: without --no-build")
    if flags.seconds and flags.cases:
        parser.error("--seconds and --cases both say when a target ends; give one")
    if not flags.cases:
        flags.seconds = flags.seconds or 5
    if flags.need_data and not os.environ.get("VDLA_DATA"):
        print("run.py: Skipped\nset VDLA_DATA to the folder of shared models and vectors")
        sys.exit(77)
    if not flags.no_build:
        build(flags.build, flags.jobs, flags.configure, flags.target)
    if flags.build_only:
        return
    programs = sorted(p for p in (flags.build / "fuzz").iterdir() if os.access(p, os.X_OK) and p.is_file())
    programs = [(program, target) for program in programs for target in targets_of(program)]
    if flags.only:
        unknown = set(flags.only) - {target for _, target in programs}
        if unknown:
            sys.exit(f"no target {', '.join(sorted(unknown))}; there are {', '.join(target for _, target in programs)}")
        programs = [(program, target) for program, target in programs if target in flags.only]
    if flags.table:
        return print_table(flags.build, programs)
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    artifacts = flags.build / "findings"
    artifacts.mkdir(exist_ok=True)
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        for program, target in programs:
            folder = pathlib.Path(scratch) / target
            folder.mkdir(parents=True, exist_ok=True)
            digest = sources_digest(flags.build, program.name) if flags.record else ""  # before the run, in which files may change
            seeds = seed_files(target, flags.vdla, folder)
            corpus = (flags.corpus or pathlib.Path(scratch) / "corpus") / target.replace("/", "-")
            if flags.once:
                cases, used, output, failed = run_once(program, target, seeds, artifacts)
            else:
                cases, used, output, failed = fuzz(program, target, seeds, corpus, flags, artifacts)
            if flags.record:
                record(commit, digest, target, len(seeds), cases, used, failed, networks(output))
            counts = ", ".join(f"{number} {what}" for what, number in networks(output).items())
            print(f"{target:16} {len(seeds):5} seeds {cases:10} cases {used:8.1f} s {'FINDING ' if failed else ''}{counts}", flush=True)
            if failed:
                failures.append(f"--- {target}\n{output[-5000:]}")
    if failures:
        sys.exit("\n".join(failures) + f"\nthe inputs lie in {artifacts}")


if __name__ == "__main__":
    main()
