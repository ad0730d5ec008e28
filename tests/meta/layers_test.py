#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_layers.py finds arrows that layers.txt does not allow, lines out of order, circles of files, and C
functions that another file's header declares."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/lint/check_layers.py"
LAYERS = "support:\ncompiler/pipeline/device: support\ncompiler/pipeline/options: support\ncompiler/pipeline/compile: compiler/pipeline\n"


def problems(files, layers=LAYERS):
    """`files`: the headers that each file includes, or its text."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, headers in {"tools/lint/layers.txt": None, **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            text = layers if headers is None else headers if isinstance(headers, str) else "".join(f'#include "{h}"\n' for h in headers)
            (root / name).write_text(text)
        run = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        return run.stdout if run.returncode else ""


class Layers(unittest.TestCase):
    def test_arrows_down_pass(self):
        self.assertEqual("", problems({"compiler/pipeline/compile.h": ["compiler/pipeline/options.h", "compiler/pipeline/device/ops.h"],
                                       "compiler/pipeline/compile.cpp": ["compiler/pipeline/compile.h"],
                                       "compiler/pipeline/device/lower.cpp": ["compiler/pipeline/device/ops.h", "support/error.h"]}))

    def test_an_arrow_that_nothing_uses_is_named(self):
        self.assertIn("layers.txt: compiler/pipeline/device includes nothing of support; leave that out",
                      problems({"compiler/pipeline/device/lower.cpp": ["compiler/pipeline/device/ops.h"]}))

    def test_an_arrow_up_is_named(self):
        self.assertIn("device/lower.cpp:1: compiler/pipeline/device may not use compiler/pipeline/compile.h",
                      problems({"compiler/pipeline/device/lower.cpp": ["compiler/pipeline/compile.h"]}))

    def test_a_header_with_its_source_is_a_room(self):
        self.assertIn("options.cpp:1: compiler/pipeline/options may not use compiler/pipeline/device/ops.h",
                      problems({"compiler/pipeline/options.cpp": ["compiler/pipeline/device/ops.h"]}))

    def test_a_file_without_a_room_is_named(self):
        self.assertIn("compiler/pipeline/other.h: its folder is not in layers.txt", problems({"compiler/pipeline/other.h": []}))

    def test_a_line_names_only_what_stands_above_it(self):
        self.assertIn("support names compiler/pipeline/device, but compiler/pipeline/device stands below it",
                      problems({}, LAYERS.replace("support:", "support: compiler/pipeline/device")))
        self.assertIn("compiler/pipeline/device stands below it", problems({}, LAYERS.replace("support:", "support: compiler")))

    def test_files_of_a_room_include_each_other_in_no_circle(self):
        self.assertIn("circle of includes: compiler/pipeline/device/a -> compiler/pipeline/device/b -> compiler/pipeline/device/a",
                      problems({"compiler/pipeline/device/a.h": ["compiler/pipeline/device/b.h"],
                                "compiler/pipeline/device/b.cpp": ["compiler/pipeline/device/a.h"]}))

    def test_files_of_the_driver_core_call_each_other_in_no_circle(self):
        rooms = LAYERS + "driver/core:\n"
        files = {"driver/core/wait.h": "int vdla_wait(void);\n", "driver/core/state.h": "int vdla_state(void);\n",
                 "driver/core/wait.c": '#include "driver/core/wait.h"\n#include "driver/core/state.h"\nint vdla_wait(void) { return vdla_state(); }\n',
                 "driver/core/state.c": '#include "driver/core/state.h"\nint vdla_state(void) {\n  return 0;\n}\n'}
        self.assertEqual("", problems(files, rooms))
        back = {"driver/core/state.c": '#include "driver/core/wait.h"\nint vdla_state(void) { return vdla_wait(); }\n'}
        self.assertIn("circle of includes: driver/core/state -> driver/core/wait -> driver/core/state", problems(files | back, rooms))
        elsewhere = {"driver/core/state.h": "", "driver/core/wait.h": "int vdla_wait(void);\nint vdla_state(void);\n"}
        self.assertIn("driver/core/state.c: vdla_state is not declared in state.h", problems(files | elsewhere, rooms))

    def test_tools_are_not_one_room_and_the_sweeps_use_nothing_of_the_command(self):
        lines = [line.split(":") for line in (CHECK.parent / "layers.txt").read_text().splitlines() if not line.startswith("#")]
        rooms = {folder: allowed.split() for folder, allowed in lines}
        self.assertNotIn("tools", rooms)
        self.assertFalse([used for used in rooms["tools/explore"] if used.startswith("tools")])
        self.assertIn("tools/explore/a.h:1: tools/explore may not use tools/vdla/b.h",
                      problems({"tools/explore/a.h": ["tools/vdla/b.h"]}, (CHECK.parent / "layers.txt").read_text()))


if __name__ == "__main__":
    unittest.main()
