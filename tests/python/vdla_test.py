#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`import vdla` gives what the command gives: outputs, cycles, sentences.

usage: vdla_test.py VDLA ROOT [UNITTEST'S OPTIONS]; the package is in PYTHONPATH
"""
import gc
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy
import vdla

COMMAND, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DIGITS = ROOT / "examples/digits/digits.onnx"


def images():
    return numpy.load(ROOT / "examples/digits/images.npy").astype("float32")


class Python(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def command(self, *words):
        done = subprocess.run([COMMAND, *map(str, words), "--json"], capture_output=True, text=True)
        return done.returncode, json.loads(done.stdout)

    def test_outputs_and_cycles_are_the_commands(self):
        numpy.save(self.path / "x.npy", images()[:1])
        module = vdla.load(DIGITS).compile(variant="tiny")
        module.save(self.path / "m.vdla")
        again = vdla.load(self.path / "m.vdla")
        self.assertIsInstance(again, vdla.Module)
        for engine in ("functional", "systemc", "rtl"):
            with self.subTest(engine):
                status, wanted = self.command("run", self.path / "m.vdla", "--engine", engine, "--input", self.path / "x.npy")
                self.assertEqual(status, 0)
                for m in (module, again):
                    result = m.run(images()[0], engine=engine)
                    self.assertEqual(result.output.ravel().tolist(), wanted["outputs"][0]["values"])
                    self.assertEqual(result.cycles, wanted.get("cycles"))
                    self.assertEqual([layer["name"] for layer in result.layers], [layer["name"] for layer in wanted["layers"]])
                    self.assertEqual([layer.get("cycles") for layer in result.layers], [layer.get("cycles") for layer in wanted["layers"]])

    @unittest.skipUnless("VDLA_DATA" in os.environ, "set VDLA_DATA to the folder of shared models and vectors")
    def test_real_numbers_are_quantised_as_the_command_does(self):
        for model in ("mlperf_tiny/models/kws_ref_model.tflite", "imagenet/models/mobilenet_v1_0.25_128_quant.tflite"):
            with self.subTest(model):
                module = vdla.load(pathlib.Path(os.environ["VDLA_DATA"]) / model).compile()
                port, = module.inputs
                span = numpy.arange(numpy.prod(port.shape)) % 600 / 2 - 150  # halves, and more than the range
                real = (port.scale * span).reshape(port.shape)
                numpy.save(self.path / "x.npy", real)
                module.save(self.path / "m.vdla")
                _, wanted = self.command("run", self.path / "m.vdla", "--input", self.path / "x.npy")
                result = module.run(real)
                self.assertEqual(result.output.ravel().tolist(), wanted["outputs"][0]["values"])
                self.assertEqual(result.output.dtype, module.outputs[0].dtype)

    def test_places_are_those_of_explain(self):
        for options, words in (({}, []), ({"target": "cpu"}, ["--target", "cpu"]), ({"place": {"pool": "cpu"}}, ["--place", "pool=cpu"]),
                               ({"variant": "tiny", "capable": True}, ["--variant", "tiny", "--partition", "capable"])):
            with self.subTest(words):
                nodes = vdla.load(DIGITS).compile(**options).nodes
                _, wanted = self.command("explain", DIGITS, *words)
                self.assertEqual([(n["name"], n["place"], n["reason"]) for n in nodes],
                                 [(n["name"], n["place"], n["reason"]) for n in wanted["nodes"]])

    def test_a_session_runs_many_inputs_and_keeps_none(self):
        session = vdla.load(DIGITS).compile(variant="tiny").session("systemc")
        results = [session.run(image) for image in images()[:3]]
        for image, result in zip(images()[:3], results):
            self.assertTrue((session.run({"input": image}).output == result.output).all(), "an output is changed by a later run")
        self.assertEqual(len({result.cycles for result in results}), 1)

    def test_mistakes_are_the_commands_sentences(self):
        module = vdla.load(DIGITS).compile()
        for mistake, sentence in ((lambda: vdla.load(self.path / "none.onnx"), "none.onnx"),
                                  (lambda: vdla.load(DIGITS).compile(variant="papr"), "variant 'papr' is neither"),
                                  (lambda: vdla.load(DIGITS).compile(target="npu"), "npu"),
                                  (lambda: vdla.load(DIGITS).compile(place={"pol": "cpu"}), "pol"),
                                  (lambda: vdla.load(DIGITS).compile(place={"pool": "gpu"}), "needs cpu"),
                                  (lambda: module.run(numpy.zeros((3, 8, 8))), "needs (1, 1, 8, 8), got (3, 8, 8)"),
                                  (lambda: module.run(images()[0].astype("complex64")), "is float32, got complex64"),
                                  (lambda: module.run(images()[0], images()[1]), "got 2 in order"),
                                  (lambda: module.run(image=images()[0]), "no input, and image"),
                                  (lambda: module.session("verilog"), "verilog")):
            with self.subTest(sentence):
                with self.assertRaises(vdla.UserError) as caught:
                    mistake()
                self.assertIn(sentence, str(caught.exception))
                self.assertIsInstance(caught.exception, ValueError)

    def test_sessions_that_are_dropped_leave_nothing(self):
        module = vdla.load(DIGITS).compile(variant="tiny")
        def use(times):
            for _ in range(times):
                module.run(images()[0])
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = use(100)
        self.assertLess(use(400) - before, 8 << 10, "KiB after 400 more sessions")

    def test_other_threads_run_meanwhile(self):
        module, counted, stop = vdla.load(DIGITS).compile(variant="tiny"), [0], threading.Event()
        def count():
            while not stop.is_set():
                counted[0] += 1
                stop.wait(0.0005)
        session = module.session("rtl")
        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        for image in images()[:3]:
            session.run(image)
        during = counted[0] - before
        stop.set()
        thread.join()
        self.assertGreater(during, 0)

    def test_an_interrupt_ends_a_run(self):
        program = f"""
import numpy, os, signal, threading, vdla
session = vdla.load({str(DIGITS)!r}).compile(variant="tiny").session("rtl")
image = numpy.zeros((1, 1, 8, 8), "float32")
session.run(image)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        session.run(image)
except KeyboardInterrupt:
    print("interrupted")
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "interrupted\n", done.stderr)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
