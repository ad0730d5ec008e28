#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_alone.py finds a source that compiles in its group alone."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Alone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "scripts", self.root / "scripts")
        (self.root / "a.cpp").write_text("#include <vector>\nint first() { return int(std::vector<int>{1}.size()); }\n")
        group = self.root / "build/Unity/unity_0_cxx.cxx"
        group.parent.mkdir(parents=True)
        group.write_text(f'#include "{self.root}/a.cpp"\n#include "{self.root}/b.cpp"\n')
        (self.root / "build/compile_commands.json").write_text(json.dumps([
            {"directory": str(self.root / "build"), "file": str(group), "command": f"c++ -o x.o -c {group}"}]))

    def check(self, second, *arguments):
        (self.root / "b.cpp").write_text(second)
        return subprocess.run([sys.executable, ROOT / "tools/lint/check_alone.py", self.root, self.root / "build", *arguments],
                              capture_output=True, text=True, check=False)

    def test_sources_with_what_they_include_pass(self):
        done = self.check("#include <vector>\nstd::vector<int> second();\n")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_one_that_lives_on_another_is_named(self):
        for arguments in ((), ("--some", "2")):
            done = self.check("std::vector<int> second();\n", *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn("b.cpp does not compile alone", done.stdout)
            self.assertNotIn("a.cpp does", done.stdout)


if __name__ == "__main__":
    unittest.main()
