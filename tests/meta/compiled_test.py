#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/compiled.py finds the command of each source of a build in groups, and what a build leaves out."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ("a/alone.c", "a/one.cpp", "a/one.h", "b/two.cpp", "left_out/part.cpp", "left_out/part.h", "plain/only.h")


class Compiled(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path in FILES:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text("")
        self.build = self.root / "build"
        group = self.build / "CMakeFiles/x.dir/Unity/unity_0_cxx.cxx"
        group.parent.mkdir(parents=True)
        group.write_text(f'/* made */\n\n#include "{self.root}/a/one.cpp"\n\n#include "{self.root}/b/two.cpp"\n')
        commands = [(str(group), "c++ -I/of/x"), (str(self.root / "a/alone.c"), "cc -DC")]
        (self.build / "compile_commands.json").write_text(json.dumps([
            {"directory": str(self.build), "command": f"{command} -o {number}.o -c {file}", "file": file}
            for number, (file, command) in enumerate(commands)]))

    def run_on(self, *paths):
        done = subprocess.run([sys.executable, ROOT / "scripts/compiled.py", self.build, self.build / "tidy"],
                              input="\n".join(paths), capture_output=True, text=True, check=True, cwd=self.root)
        return done.stdout.split()

    def test_sources_of_a_group_have_its_command(self):
        self.run_on()
        commands = {pathlib.Path(entry["file"]).name: entry["command"]
                    for entry in json.loads((self.build / "tidy/compile_commands.json").read_text())}
        self.assertEqual(commands, {
            "one.cpp": f"c++ -I/of/x -o 0.o -c {self.root}/a/one.cpp",
            "two.cpp": f"c++ -I/of/x -o 0.o -c {self.root}/b/two.cpp",
            "alone.c": f"cc -DC -o 1.o -c {self.root}/a/alone.c",
        })

    def test_parts_that_the_build_leaves_out_are_left_out(self):
        self.assertEqual(self.run_on(*FILES), ["a/alone.c", "a/one.cpp", "a/one.h", "b/two.cpp", "plain/only.h"])


if __name__ == "__main__":
    unittest.main()
