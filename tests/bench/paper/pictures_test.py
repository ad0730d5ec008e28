#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of the documents, and those that bench_paper draws at once, are SVG whose texts stay inside of them and do
not lie upon each other: by the widths of the font that they ask for, and by a browser where there is one.

usage: pictures_test.py ROOT BENCH_PAPER
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, BENCH_PAPER = pathlib.Path(sys.argv[1]), sys.argv[2]
READ = ROOT / "tests/readers/read.py"
COMMITTED = sorted((ROOT / "docs/images").glob("*.svg"))

# Texts that a browser, with its own fonts, draws outside of the picture.
OUTSIDE = """<!doctype html><title>none</title><body>%s<script>
document.title = [...document.querySelectorAll('svg text')].filter((t) => {
  const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
  return a.left < b.left || a.right > b.right || a.top < b.top || a.bottom > b.bottom;
}).map((t) => t.textContent).join('|') || 'all inside';
</script>"""


class Pictures(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def drawn(self):
        """What a record of a GPU gives: no run is needed."""
        for figure in (7, 14, 15):
            file = self.folder / f"figure{figure}.svg"
            subprocess.run([BENCH_PAPER, "--figure", str(figure), "--svg", file], check=True, stdout=subprocess.DEVNULL)
            yield file

    def test_texts_are_inside_and_apart(self):
        self.assertGreaterEqual(len(COMMITTED), 5)
        done = subprocess.run([sys.executable, READ, "svg", *COMMITTED, *self.drawn()], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_documents_show_what_is_drawn(self):
        for file in self.drawn():
            committed = ROOT / "docs/images" / file.name
            if committed.exists():
                self.assertEqual(file.read_text(), committed.read_text(), f"make {committed} again: bench_paper --figure N --svg FILE")

    @unittest.skipUnless(shutil.which("chromium"), "chromium is missing")
    def test_texts_are_inside_to_a_browser(self):
        page = self.folder / "page.html"
        page.write_text(OUTSIDE % "".join(file.read_text() for file in [*COMMITTED, *self.drawn()]))
        done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run",
                               f"--user-data-dir={self.folder}/profile", "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=50)
        self.assertEqual(re.search("<title>(.*?)</title>", done.stdout, re.S).group(1), "all inside")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
