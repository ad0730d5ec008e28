#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The record of a suite counts for the files and tools that it passed with, and a run that passed writes it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RECORD = pathlib.Path(__file__).resolve().parent / "record.py"

# Stands for a program of tests: its status and results are in files beside it.
PROGRAM = """#!/bin/sh
here=$(dirname "$0")
[ "$VDLA_WHOLE" = 1 ] || exit 9
[ ! -e "$here/meanwhile" ] || echo changed > "$(cat "$here/meanwhile")"
for word in "$@"; do case $word in --gtest_output=json:*) cp "$here/report" "${word#*:}" ;; esac; done
exit "$(cat "$here/status")"
"""


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "rtl").mkdir()
        (self.root / "rtl/a.sv").write_text("module a;\n")
        (self.root / "tool").write_text("#!/bin/sh\necho version 1\n")
        (self.root / "cmake").write_text("#!/bin/sh\n")
        tests = self.root / "build/tests"
        tests.mkdir(parents=True)
        (tests / "program").write_text(PROGRAM)
        for file in (self.root / "tool", self.root / "cmake", tests / "program"):
            file.chmod(0o755)
        self.tests = tests
        self.ends(0, ["COMPLETED", "COMPLETED"])
        self.record = self.root / "record.json"
        self.record.write_text(json.dumps({"suite": {"program": "program", "passed": "", "cases": 0, "tools": {f"{self.root}/tool": ""}, "sources": {"rtl": ""}}}))

    def ends(self, status, results):
        (self.tests / "status").write_text(str(status))
        cases = [{"name": f"case{i}", "result": result} for i, result in enumerate(results)]
        (self.tests / "report").write_text(json.dumps({"testsuites": [{"testsuite": cases}]}))

    def run_record(self, *words):
        done = subprocess.run([sys.executable, RECORD, *words, "--source", self.root, "--record", self.record, "--build", self.root / "build"],
                              capture_output=True, text=True, env={**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}"})
        return done.returncode, done.stdout + done.stderr

    def expect_unchanged(self, says):
        before = self.record.read_text()
        status, output = self.run_record("renew", "suite")
        self.assertEqual(status, 2, output)
        self.assertIn(says, output)
        self.assertEqual(self.record.read_text(), before)

    def test_a_run_that_passed_is_on_record_until_a_file_or_a_tool_changes(self):
        self.assertEqual(self.run_record("state", "suite"), (1, "suite is not on record\n"))
        self.assertEqual(self.run_record("renew", "suite")[0], 0)
        status, output = self.run_record("state", "suite")
        self.assertEqual(status, 0)
        self.assertIn("on record: all 2 cases of suite passed at no commit", output)
        (self.root / "rtl/__pycache__").mkdir()
        (self.root / "rtl/__pycache__/a.pyc").write_text("made by Python")
        self.assertEqual(self.run_record("state", "suite")[0], 0)
        for path, text in (("rtl/a.sv", "module b;\n"), ("rtl/new.sv", ""), ("tool", "#!/bin/sh\necho version 2\n")):
            with self.subTest(path):
                file = self.root / path
                old = file.read_text() if file.exists() else None
                file.write_text(text)
                status, output = self.run_record("state", "suite")
                self.assertEqual(status, 1)
                self.assertIn(f"{'tool' if path == 'tool' else 'rtl'}{chr(39) if path == 'tool' else ''} changed", output)
                file.write_text(old) if old is not None else file.unlink()
                self.assertEqual(self.run_record("state", "suite")[0], 0)

    def test_comments_alone_keep_a_suite_on_record(self):
        source = self.root / "rtl/a.sv"
        source.write_text('module a;\n// Adds.\nwire b = "// text";  // one bit\nendmodule\n')
        self.assertEqual(self.run_record("renew", "suite")[0], 0)
        for text, kept in (('module a;\nwire b = "// text";\n/* Adds\n two. */\nendmodule\n', True),
                           ('module a;\n// Adds.\nwire b = "// other";  // one bit\nendmodule\n', False),
                           ('module a;\n// verilator lint_off\nwire b = "// text";\nendmodule\n', False),
                           ('module a;\nwire b = "// text"; wire c;\nendmodule\n', False)):
            with self.subTest(text):
                source.write_text(text)
                self.assertEqual(self.run_record("state", "suite")[0], 0 if kept else 1)

    def test_a_run_that_failed_or_left_out_a_case_writes_nothing(self):
        self.ends(1, ["COMPLETED"])
        self.expect_unchanged("suite failed (status 1)")
        self.ends(0, ["COMPLETED", "SKIPPED"])
        self.expect_unchanged("suite ran without case1")
        self.ends(0, [])
        self.expect_unchanged("suite ran without any case")

    def test_files_that_change_while_it_runs_are_not_on_record(self):
        (self.tests / "meanwhile").write_text(str(self.root / "rtl/a.sv"))
        self.expect_unchanged("files of suite changed while it ran")

    def test_suites_that_are_not_there_are_named_with_those_that_are(self):
        status, output = self.run_record("state", "siute")
        self.assertEqual((status, output), (2, "record.py: no suite 'siute', needs one of suite\n"))

    def test_a_folder_that_has_gone_is_no_record(self):
        self.assertEqual(self.run_record("renew", "suite")[0], 0)
        (self.root / "rtl/a.sv").unlink()
        self.assertEqual(self.run_record("state", "suite")[0], 2)


if __name__ == "__main__":
    unittest.main()
