#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""choose.py, run.py and places.py over a repository that is made here, of examples/digits/digits.onnx.

usage: corpus_test.py VDLA SOURCE_DIR"""
import argparse
import contextlib
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

import choose
import first_difference
import npy
import oracle
import places
import repositories
import run

VDLA, SOURCE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
DIGITS = (SOURCE / "examples/digits/digits.onnx").read_bytes()
NETWORKS = {"a.onnx": DIGITS, "again.onnx": DIGITS, "broken.onnx": DIGITS[:1000],
            "pointer.onnx": b"version https://git-lfs.github.com/spec/v1\n", "page.tflite": b"\n\n<html>" * 100,
            "notes.txt": b"no model"}


class Corpus(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        checkout = self.folder / "owner/name"
        checkout.mkdir(parents=True)
        for name, data in NETWORKS.items():
            (checkout / name).write_bytes(data)
        git = ["git", "-C", checkout, "-c", "user.name=n", "-c", "user.email=e"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "m"]):
            subprocess.run([*git, *words], check=True)
        commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        (self.folder / "repositories.tsv").write_text(
            f"repository\tcommit\tlicence\tfamily\nowner/name\t{commit}\tMIT\tdigits\n")
        for name in ("REPOSITORIES", "MODELS"):
            self.enterContext(mock.patch.object(repositories, name, self.folder / f"{name.lower()}.tsv"))
        self.call(choose)

    def call(self, script, *words):
        printed = io.StringIO()
        with mock.patch.object(sys, "argv", ["script", "--repositories", str(self.folder), *words]), \
             contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            return script.main(), printed.getvalue()

    def rows(self, vdla, *words):
        status, _ = self.call(run, "--vdla", str(vdla), "--json", str(self.folder / "rows.json"), *words)
        return status, json.loads((self.folder / "rows.json").read_text())

    def pretend(self, text, *words):
        """A vdla that ends otherwise."""
        script = self.folder / "vdla"
        script.write_text(f"#!/bin/bash\n{text}\n")
        script.chmod(0o755)
        return self.rows(script, *words)

    def test_equal_files_pointers_and_pages_are_no_further_models(self):
        models = repositories.rows(repositories.MODELS)
        self.assertEqual([model["path"] for model in models], ["a.onnx", "broken.onnx"])
        self.assertEqual(models[0]["format"], "ONNX int8")

    def test_flags_are_kept_when_models_are_chosen_again(self):
        text = repositories.MODELS.read_text().splitlines()
        text[1] += "--shape x=1x2"
        repositories.MODELS.write_text("\n".join(text) + "\n")
        self.call(choose)
        self.assertEqual(repositories.rows(repositories.MODELS)[0]["flags"], "--shape x=1x2")

    def test_a_model_is_right_and_a_broken_file_is_refused_with_its_reason(self):
        status, rows = self.rows(VDLA)
        self.assertEqual([row["state"] for row in rows], ["right", "refused"])
        self.assertGreater(rows[0]["tensors"], 5)
        self.assertEqual(rows[1]["reasons"][0][0], "the file")
        self.assertEqual(status, 0)

    def test_another_file_than_the_table_names_ends_the_run(self):
        repositories.MODELS.write_text(repositories.MODELS.read_text().replace(
            repositories.rows(repositories.MODELS)[0]["sha256"], "0" * 64))
        with self.assertRaisesRegex(SystemExit, "another file"):
            self.rows(VDLA)

    def test_a_crash_is_a_fault(self):
        status, rows = self.pretend("kill -SEGV $$")
        self.assertEqual((status, rows[0]["state"], rows[0]["reasons"]), (1, "fault", [["compile", "ended by SIGSEGV"]]))

    def test_engines_are_held_to_each_other(self):
        status, rows = self.rows(VDLA, "--engine", "systemc")
        self.assertEqual((status, rows[0]["engines"], rows[0]["state"]), (0, {"systemc": "equal"}, "right"))

    def test_an_engine_that_gives_other_outputs_is_a_fault(self):
        status, rows = self.pretend(f"""case "$1 $*" in
            "run "*systemc*) shift; exec {VDLA} run $1 --random-input 3 --output "${{@: -1}}";;
            esac
            exec {VDLA} "$@\"""", "--engine", "systemc")
        self.assertEqual((status, rows[0]["state"], rows[0]["reasons"]), (1, "fault", [["systemc", "other outputs"]]))

    def test_a_run_that_fails_is_a_fault(self):
        status, rows = self.pretend("case $1 in explain) echo '{\"inputs\": []}';; run) echo no >&2; exit 1;; esac")
        self.assertEqual((status, rows[0]["state"], rows[0]["reasons"]), (1, "fault", [["run", "no"]]))

    def test_an_internal_error_is_a_fault(self):
        status, rows = self.pretend("echo 'vdla: internal error' >&2; exit 3")
        self.assertEqual((status, rows[0]["state"]), (1, "fault"))

    def test_a_tensor_that_differs_from_its_meaning_is_wrong(self):
        status, rows = self.pretend("""case $1 in
            explain) echo '{"inputs": []}';;
            diff) echo '{"compared": 3, "first": {}}'; exit 1;;
            esac""")
        self.assertEqual((status, rows[0]["state"]), (1, "differs"))

    def test_a_comparison_that_is_refused_is_no_difference(self):
        status, rows = self.pretend("""case $1 in
            explain) echo '{"inputs": []}';;
            diff) echo '{"error": "it takes no such flag"}'; exit 1;;
            esac""")
        self.assertEqual((status, rows[0]["state"], rows[0]["reasons"]), (1, "fault", [["diff", "it takes no such flag"]]))

    def test_an_absent_repository_is_told_by_the_exit_status(self):
        (self.folder / "owner").rename(self.folder / "elsewhere")
        status, rows = self.rows(VDLA)
        self.assertEqual((status, rows), (1, []))


    def test_nodes_on_the_cpu_are_counted_with_their_reasons(self):
        status, text = self.call(places, "--vdla", VDLA, str(self.folder / "owner"))
        self.assertEqual(status, 0)
        self.assertIn("| im2col | layout conversion: NxN taps into the lanes, N bytes to N | 3 | 3 | 0 |", text)
        self.assertIn("3 networks, ", text)

    def test_without_a_network_that_compiles_the_count_of_nodes_fails(self):
        self.assertEqual(self.call(places, "--vdla", VDLA, "--only", "broken")[0], 1)


class Distances(unittest.TestCase):
    def test_floats_are_relative_to_the_largest(self):
        self.assertEqual(oracle.distance([1.0, 4.0], [1.5, 5.0]), 0.2)

    def test_integers_are_in_steps(self):
        self.assertEqual(oracle.distance([1, 4], [1, 7]), 3)

    def test_what_is_no_number_on_one_side_is_infinitely_far(self):
        self.assertEqual(oracle.distance([float("nan"), 1.0], [float("nan"), 1.0]), 0.0)
        self.assertEqual(oracle.distance([float("nan"), 1.0], [2.0, 1.0]), float("inf"))
        self.assertEqual(oracle.distance([1.0], [1.0, 2.0]), float("inf"))

    def test_tiny_outputs_are_not_held_to_their_own_size(self):
        self.assertLess(oracle.distance([1e-7, 2e-6], [0.0, 2e-6]), 1e-3)


    def test_of_answers_the_largest_of_floats_and_of_integers_count(self):
        have = [("a", "float32", [1.0, 2.0]), ("b", "int8", [3]), ("c", "float32", [4.0])]
        want = [("a", "float32", [1.0, 2.5]), ("b", "int8", [5]), ("c", "float32", [4.0])]
        self.assertEqual(oracle.distances(have, want), (0.2, 2))


class Oracles(unittest.TestCase):
    """An oracle that gives a number, and the kit's output beside it, a file of one float."""

    def judged(self, ours, *theirs):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("inputs", "outputs"):
            with zipfile.ZipFile(folder / f"{name}.npz", "w") as archive:
                archive.writestr("y.npy", npy.file_of("float32", [1], struct.pack("<f", ours)))
        commands = []
        for number, value in enumerate(theirs):
            script = folder / f"oracle{number}"
            script.write_text(f"""#!{sys.executable}
import json, struct, sys
print(json.dumps(["y"]), flush=True)
input()
open(sys.argv[2] + "/y", "wb").write(struct.pack("<f", {value}))
print(json.dumps([{{"name": "y", "type": "float32", "file": "y"}}]), flush=True)
""")
            script.chmod(0o755)
            commands.append([str(script)])
        row = {"format": "ONNX float"}
        arguments = argparse.Namespace(seconds=10, oracle_tolerance=1e-5, oracle_steps=4)
        run.with_oracle(arguments, row, commands, folder, folder / "model.onnx", [])
        return row["state"]

    def test_floats_may_miss_as_far_as_oracles_miss_each_other(self):
        self.assertEqual(self.judged(1.0, 1.0), "right")
        self.assertEqual(self.judged(1.01, 1.0), "differs")
        self.assertEqual(self.judged(1.01, 1.0, 1.02), "right")
        self.assertEqual(self.judged(1.01, 1.0, 1.001), "differs")


class FirstDifference(unittest.TestCase):
    """A network of three operators: two inputs are one operand of the second."""

    def setUp(self):
        self.data = (SOURCE / "tests/fuzz/seeds/tflite/float/real.tflite").read_bytes()

    @staticmethod
    def graph(data):
        return first_difference.Table(data, struct.unpack_from("<I", data, 0)[0]).tables(2)[0]

    def test_results_of_all_operators_become_outputs(self):
        changed, operators, wanted = first_difference.with_all_outputs(self.data)
        self.assertEqual([(inputs, outputs) for _, inputs, outputs in operators], [([0, 1], [2]), ([2, 3], [4]), ([4], [5])])
        self.assertEqual(wanted, [2, 4, 5])
        self.assertEqual(self.graph(changed).numbers(2), wanted)

    def test_an_operator_alone_reads_results_of_others_and_has_its_constants(self):
        graph = self.graph(first_difference.with_one_operator(self.data, 1))
        self.assertEqual([o.numbers(2) for o in graph.tables(3)], [[4]])
        self.assertEqual((graph.numbers(1), graph.numbers(2)), ([2], [4]))


class Bound(unittest.TestCase):
    def test_one_number_is_a_scalar_and_several_are_a_list(self):
        given = dict(oracle.bound(["--shape", "x=1x2", "--bind", "sr=16000", "--bind", "axes=1,2"]))
        self.assertEqual(given, {"sr": ("int64", [], (16000).to_bytes(8, "little")),
                                 "axes": ("int64", [2], bytes([1] + [0] * 7 + [2] + [0] * 7))})


if __name__ == "__main__":
    unittest.main()
