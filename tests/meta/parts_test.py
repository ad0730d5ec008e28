#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kit is configured without its optional parts, and target vdla_installed of each configuration makes what `cmake
--install` takes from it (tools/lint/check_installed.py).

usage: parts_test.py CMAKE NINJA ROOT [--each]      --each: also without each part alone
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, NINJA, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])

# A part as vdla_report_dependencies() names it: options that hide it.
PARTS = {
    "FileCheck": ["-DVDLA_FILECHECK="],
    "GoogleTest": ["-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON"],
    "LLVM 19": ["-DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON"],
    "ONNX": ["-DVDLA_ONNX_PROTO_LIBRARY="],
    "SystemC": ["-DVDLA_SYSTEMC_LIBRARY="],
    "Verilator": ["-DVDLA_VERILATOR="],
    "XGBoost": ["-DVDLA_XGBOOST_INCLUDE="],
    "XRT": ["-DVDLA_XRT_LIBRARY="],
    "gRPC": ["-DVDLA_GRPC_LIBRARY="],
    "libjpeg": ["-DCMAKE_DISABLE_FIND_PACKAGE_JPEG=ON"],
    "libpng": ["-DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON"],
    "libzip": ["-DVDLA_ZIP_LIBRARY="],
    "pybind11": ["-DCMAKE_DISABLE_FIND_PACKAGE_pybind11=ON"],
    "yosys": ["-DVDLA_YOSYS="],
    "z3": ["-DVDLA_Z3="],
}


class Parts(unittest.TestCase):
    def configured(self, hidden):
        with tempfile.TemporaryDirectory(prefix="vdla_parts_") as build:
            options = [option for part in hidden for option in PARTS[part]]
            run = subprocess.run([CMAKE, "-S", ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={NINJA}", *options],
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            for part in hidden:
                self.assertIn(f"{part}: MISSING", run.stdout)
            check = subprocess.run([sys.executable, ROOT / "tools/lint/check_installed.py", build, "--ninja", NINJA],
                                   capture_output=True, text=True)
            self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
            return run.stdout

    def test_without_any(self):
        report = self.configured(list(PARTS))
        self.assertNotIn(": found (", report, "a part that PARTS does not hide")

    def test_without_any_but_the_tests(self):
        self.configured([part for part in PARTS if part != "GoogleTest"])

    @unittest.skipUnless("--each" in sys.argv, "takes --each")
    def test_without_each(self):
        for part in PARTS:
            with self.subTest(part):
                self.configured([part])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
