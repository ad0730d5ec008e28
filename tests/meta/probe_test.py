#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/VdlaProbe.cmake tries a probe that failed again, and nothing else keeps failures: the kit's CMake files call no
check_...() and no try_...() of CMake's themselves.

usage: probe_test.py CMAKE ROOT
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CMAKE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
LISTS = """
cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH {root}/cmake)
include(VdlaProbe)
vdla_probe_links(HAS_PART "-include {header}" "int main() {{ return part(); }}")
message(STATUS "HAS_PART is '${{HAS_PART}}'")
"""


class Probe(unittest.TestCase):
    def test_a_failure_is_tried_again(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            header = folder / "part.h"
            (folder / "CMakeLists.txt").write_text(LISTS.format(root=ROOT, header=header))

            def value():
                run = subprocess.run([CMAKE, "-S", folder, "-B", folder / "build"], capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)
                return re.search("HAS_PART is '(.*)'", run.stdout).group(1)

            self.assertEqual(value(), "")
            header.write_text("inline int part() { return 0; }\n")
            self.assertEqual(value(), "1")
            header.unlink()  # success is kept
            self.assertEqual(value(), "1")

    def test_only_the_probe_calls_what_keeps_failures(self):
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "*CMakeLists.txt", "*.cmake"], capture_output=True, text=True)
        for name in files.stdout.split():
            calls = re.findall(r"^\s*((?:check_\w+|try_compile|try_run)\s*\()", (ROOT / name).read_text(), re.M | re.I)
            self.assertEqual(calls, ["check_cxx_source_compiles("] if name == "cmake/VdlaProbe.cmake" else [], name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
