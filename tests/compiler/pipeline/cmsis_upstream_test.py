#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmsis_upstream.py over a repository that is made here: an operator of int8, one of 4-bit weights, one of floats."""
import contextlib
import io
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import cmsis_upstream

HEADERS = '#include "config_data.h"\n#include "input_data.h"\n'
FILES = {"TestData/pad_a/test_data.h": HEADERS,
         "TestData/pad_a/config_data.h": "#define PAD_A_INPUT_N 2 // rows\n#define PAD_A_TYPE arm_nn \\\n  kind\n",
         "TestData/pad_a/input_data.h": "const int8_t pad_a_input[3] = { 1,\n -2, 3};\n",
         "TestData/conv_four/test_data.h": HEADERS,
         "TestData/conv_four/config_data.h": "#define CONV_FOUR_IN_CH -7\n",
         "TestData/conv_four/input_data.h": "const int16_t *const none = NULL;\nconst int16_t conv_four_input[] = {9};\n",
         "TestData/pad_f32/test_data.h": HEADERS,
         "TestData/minimum_b/test_data.h": HEADERS,
         "TestData/minimum_b/config_data.h": "",
         "TestData/minimum_b/input_data.h": "const int8_t minimum_b_input[1] = {4};\n",
         "test_arm_pad_s8/test.c": '#include "../TestData/pad_a/test_data.h"\n',
         "test_arm_pad_f32/test.c": '#include "../TestData/pad_f32/test_data.h"\n',
         "test_arm_maximum_minimum_s8/test.c": '#include "../TestData/minimum_b/test_data.h"\n',
         "test_arm_convolve_s4/test.c": '#include "../TestData/conv_four/test_data.h"\n'}
PAD = {"case": "pad_a", "op": "pad", "activation": "int8", "weights": "int8",
       "params": {"INPUT_N": 2, "TYPE": "arm_nn kind"},
       "tensors": {"input": {"type": "int8", "size": 3, "data": [1, -2, 3]}}}


class Upstream(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.repository = self.folder / "repository"
        for name, text in FILES.items():
            file = self.repository / cmsis_upstream.CASES / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        git = ["git", "-C", self.repository, "-c", "user.name=n", "-c", "user.email=e"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "m"]):
            subprocess.run([*git, *words], check=True)

    def call(self, *words):
        printed = io.StringIO()
        with mock.patch.object(sys, "argv", ["script", "--repository", str(self.repository), *map(str, words)]), \
             contextlib.redirect_stdout(printed):
            return cmsis_upstream.main(), printed.getvalue()

    def test_headers_become_the_data_folders_files(self):
        self.assertEqual(cmsis_upstream.write_cases(self.repository, self.folder), 3)
        read = {file.stem: json.loads(file.read_text()) for file in self.folder.glob("*.json")}
        self.assertEqual(read["pad_a"], PAD)
        self.assertEqual(read["minimum_b"]["op"], "minimum")
        self.assertEqual(read["conv_four"], {"case": "conv_four", "op": "conv", "activation": "int16",
                                             "weights": "int4 packed (2 per byte)", "params": {"IN_CH": -7},
                                             "tensors": {"input": {"type": "int16", "size": 1, "data": [9]}}})

    def test_a_folder_with_another_number_is_named(self):
        (self.folder / "pad_a.json").write_text(json.dumps(PAD))
        self.assertEqual(self.call("--compare", self.folder)[0], 0)
        (self.folder / "pad_a.json").write_text(json.dumps({**PAD, "params": {"INPUT_N": 3, "TYPE": "arm_nn kind"}}))
        self.assertEqual(self.call("--compare", self.folder)[0], 1)
        self.assertIn("pad_a: params", self.call("--compare", self.folder)[1])

    def test_the_tests_read_the_cases_as_data_and_their_status_counts(self):
        program = self.folder / "program"
        program.write_text('#!/bin/sh\n[ "$1" = --gtest_filter=All.* ] && [ -f "$VDLA_DATA/cmsis_nn/json/pad_a.json" ]\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        with mock.patch.dict(os.environ, {"VDLA_DATA": "/none"}):
            self.assertEqual(self.call(f"{program}:All.*")[0], 0)
            self.assertEqual(self.call(f"{program}:Other.*")[0], 1)


if __name__ == "__main__":
    unittest.main()
