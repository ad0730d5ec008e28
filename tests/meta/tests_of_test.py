#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/tests_of.py finds the tests of changed files, in a small tree and in this one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = {
    "tests/compiler/graph": "vdla_test(graph_test SOURCES a_test.cpp)\nvdla_text_tests(graph.text graph one two)\n",
    "tests/compiler/codegen/vdla": "vdla_test(codegen_vdla_test SOURCES a_test.cpp)\n",
    "tests/isa": "vdla_test(isa_asm_test SOURCES asm/asm_test.cpp USES vdla::isa_spec)\n"
                 "vdla_test(isa_codec_test\n  SOURCES codec_test.cpp\n  USES vdla::isa_asm)\n"
                 "vdla_test(isa_slow_test SOURCES slow_test.cpp LABELS long)\n",
    "tests/meta": "add_test(NAME meta.${check} COMMAND x)\n",
}


def run(root, what, *paths):
    done = subprocess.run([sys.executable, ROOT / "scripts/tests_of.py", root, what], input="\n".join(paths),
                          capture_output=True, text=True, check=True)
    return done.stdout.split()


class TestsOf(unittest.TestCase):
    def expect(self, paths, programs, names):
        with tempfile.TemporaryDirectory() as folder:
            for place, text in LISTS.items():
                (pathlib.Path(folder) / place).mkdir(parents=True)
                (pathlib.Path(folder) / place / "CMakeLists.txt").write_text(text)
            self.assertEqual(run(folder, "programs", *paths), programs)
            self.assertEqual(run(folder, "names", *paths), names)

    def test_tests_stand_at_the_path_of_what_they_test(self):
        for path in ("compiler/graph/fold.cpp", "compiler/graph/text/read.cpp", "tests/compiler/graph/text/one.graph"):
            self.expect([path], ["graph_test", "vdla"], ["graph.text", "graph_test"])
        self.expect(["compiler/codegen/vdla/encode.cpp"], ["codegen_vdla_test"], ["codegen_vdla_test"])

    def test_of_many_programs_those_of_the_folder_are_taken(self):
        self.expect(["isa/asm/lexer.cpp"], ["isa_asm_test"], ["isa_asm_test"])
        self.expect(["isa/spec/fields.h"], ["isa_asm_test", "isa_codec_test"], ["isa_asm_test", "isa_codec_test"])

    def test_scripts_and_lints_have_their_tests_in_meta(self):
        for path in ("scripts/check.sh", "cmake/VdlaProbe.cmake", "tools/lint/check_sizes.py"):
            self.expect([path], [], ["meta."])

    def test_pages_have_the_test_of_their_commands(self):
        self.expect(["docs/numbers.md"], ["vdla"], ["tools.docs_commands"])

    def test_folders_without_tests_have_none(self):
        self.expect(["bench/gpu/run.cpp", "CHANGELOG.md", "LICENSE"], [], [])

    def test_folders_of_this_tree_have_tests(self):
        for path in ("boards/spec/a.cpp", "compiler/targets/vdla/templates/operators/conv2d.cpp", "driver/core/a.c", "hw/rtl/top/a.sv",
                     "isa/codec/a.h", "kit/a.cpp", "runtime/session/session.cpp", "sim/cycle/a.cpp", "support/error.h", "tools/vdla/run/run.cpp"):
            with self.subTest(path):
                self.assertTrue(run(ROOT, "programs", path))


if __name__ == "__main__":
    unittest.main()
