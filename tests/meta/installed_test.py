#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/check_installed.py finds what is installed and not made by target vdla_installed."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/lint/check_installed.py"

NINJA = """
rule make
  command = touch $out
rule fill
  command = fill --out {build}/lib/machines && touch $out
build lib/liba.a: make
build lib/libplugin.so: make
build machines.stamp: fill
build vdla_installed: phony {needs}
build all: phony lib/liba.a lib/libplugin.so machines.stamp
"""

RULES = """
file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}/lib" TYPE STATIC_LIBRARY FILES "{build}/lib/liba.a")
file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}/lib" TYPE FILE FILES
  "{build}/written-by-cmake.cmake"
  "/elsewhere/source.h")
include("{build}/part/cmake_install.cmake")
"""

PART = """
file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}/lib" TYPE MODULE FILES "{build}/lib/libplugin.so")
file(INSTALL DESTINATION "${{CMAKE_INSTALL_PREFIX}}/lib" TYPE DIRECTORY FILES "{build}/lib/machines")
"""


def problems(needs, built=()):
    """Prints of the check where target vdla_installed needs these files; those of `built` are there already."""
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder).resolve()
        for name, text in [("build.ninja", NINJA), ("cmake_install.cmake", RULES), ("part/cmake_install.cmake", PART)]:
            (build / name).parent.mkdir(exist_ok=True)
            (build / name).write_text(text.format(build=build, needs=needs))
        for name in ("written-by-cmake.cmake", *built):
            (build / name).parent.mkdir(exist_ok=True)
            (build / name).touch()
        run = subprocess.run([sys.executable, CHECK, build], capture_output=True, text=True)
        return run.stdout + run.stderr if run.returncode else ""


class Installed(unittest.TestCase):
    def test_all_that_is_installed_is_made(self):
        self.assertEqual("", problems("lib/liba.a lib/libplugin.so machines.stamp"))

    def test_a_library_that_no_target_needs_is_found(self):
        self.assertIn("lib/libplugin.so: is installed and not made", problems("lib/liba.a machines.stamp"))

    def test_a_library_that_a_full_build_left_is_found_too(self):
        left = ["lib/libplugin.so"]
        self.assertIn("lib/libplugin.so: is installed and not made", problems("lib/liba.a machines.stamp", left))

    def test_a_folder_that_no_command_fills_is_found(self):
        self.assertIn("lib/machines: is installed and not made", problems("lib/liba.a lib/libplugin.so"))


if __name__ == "__main__":
    unittest.main()
