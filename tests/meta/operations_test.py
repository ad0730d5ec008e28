#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_operations.py finds operations that code names to decide something."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/lint/check_operations.py"


def problems(name, text):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return run.stdout if run.returncode else ""


class Operations(unittest.TestCase):
    def test_an_enumerator_is_named_with_its_place(self):
        self.assertIn("isa/verify/rows.cpp:2: 'VectorOp::Avg'", problems("isa/verify/rows.cpp", "\nif (i.op != VectorOp::Avg)\n"))
        self.assertIn("'using enum isa::VectorOp'", problems("sim/cycle/unit.h", "using enum isa::VectorOp;\n"))

    def test_a_name_may_be_chosen_but_not_compared(self):
        self.assertEqual("", problems("isa/random/shapes.cpp", 'i.op = operation_named("mac");\n'))
        self.assertIn("!= isa::operation_named(", problems("sim/cycle/unit.cpp", 'if (i.op != isa::operation_named("avg"))\n'))
        self.assertIn("case isa::operation_named(", problems("sim/cycle/unit.cpp", 'case isa::operation_named("avg"):\n'))

    def test_a_text_of_one_is_not_compared_where_texts_are_operations(self):
        self.assertIn("'== \"avg\"'", problems("compiler/check/program.cpp", 'const bool wide = std::string_view(name) == "avg";\n'))
        self.assertEqual("", problems("compiler/import/index.cpp", 'if (reduction == "add")\n'))
        self.assertEqual("", problems("compiler/check/program.cpp", 'if (name == "average")\n'))

    def test_the_definition_and_tests_are_free(self):
        self.assertEqual("", problems("isa/spec/operations.h", "VectorOp::Mac\n"))
        self.assertEqual("", problems("tests/isa/semantics_test.cpp", "VectorOp::Mac\n"))


if __name__ == "__main__":
    unittest.main()
