#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/glossary.md: the files that it names exist and know the words, and no word stands there twice."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \| (?:`([^`]+)`)? *\|$", re.M)


def plain(text):
    return re.sub(r"[\s_]", "", text).lower()


class Glossary(unittest.TestCase):
    def setUp(self):
        rows = ROW.findall((ROOT / "docs/glossary.md").read_text())
        self.rows = [(re.sub(r" \(.*\)", "", word), place) for word, place in rows if word != "word"]

    def test_words_are_in_the_files_that_it_names(self):
        self.assertGreater(len(self.rows), 30)
        for word, place in self.rows:
            if not place:
                continue
            path = ROOT / place
            files = [path] if path.is_file() else sorted(path.glob("*.md"))
            self.assertTrue(files, f"'{word}': no {place}")
            self.assertTrue(any(plain(word) in plain(f.read_text()) for f in files), f"{place} has no '{word}'")

    def test_each_word_is_there_once(self):
        words = [word for word, _ in self.rows]
        self.assertEqual(sorted(set(words)), sorted(words))


if __name__ == "__main__":
    unittest.main()
