#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a file as another program would: by Python's own parsers, or by the published rule of the format, and never by
code of the kit. What the rule forbids is an error, also where most readers put up with it.

usage: read.py KIND FILE...     KIND: one of the functions below     exit status 0: each file was read, 1: a sentence
                                on standard error says what is wrong

What a kind prints is for the test that asked: one JSON value a file, in ASCII.
"""
import ast
import csv
import html.parser
import json
import struct
import sys
import xml.etree.ElementTree
import zipfile


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def text_of(path):
    """UTF-8 without exceptions."""
    return bytes_of(path).decode("utf-8", "strict")


# JSON (RFC 8259).


def no_number(word):
    raise ValueError(f"{word} is no number of JSON")


def once(pairs):
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the name {name!r} stands twice in an object")
    return dict(pairs)


def value_of(text):
    return json.loads(text, parse_constant=no_number, object_pairs_hook=once, strict=True)


def read_json(path):
    return value_of(text_of(path))


def read_json_lines(path):
    text = text_of(path)
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    return [value_of(line) for line in text[:-1].split("\n")]


# Trace Event Format, as Perfetto reads it.


def refuse_dropped(events):
    """Perfetto drops a slice that begins inside of an open one of its track and ends after it."""
    open_ends = {}
    for event in sorted((event for event in events if event["ph"] == "X"), key=lambda event: event["ts"]):
        ends = open_ends.setdefault((event["pid"], event["tid"]), [])
        while ends and ends[-1] <= event["ts"]:
            ends.pop()
        if ends and event["ts"] + event["dur"] > ends[-1]:
            raise ValueError(f"{event} overlaps another slice of its track")
        ends.append(event["ts"] + event["dur"])


def read_trace(path):
    events = read_json(path)
    events = events["traceEvents"] if isinstance(events, dict) else events
    named, kinds, begun = set(), {}, {}
    for event in events:
        kinds[event["ph"]] = kinds.get(event["ph"], 0) + 1
        if not isinstance(event["name"], str):
            raise ValueError(f"the name of {event} is no text")
        for key in ("pid", "tid") if event["ph"] != "C" else ("pid",):
            if not isinstance(event[key], int):
                raise ValueError(f"{key} of {event} is no whole number")
        if event["ph"] == "M":
            named.add((event["pid"], event["tid"]))
        elif not isinstance(event["ts"], (int, float)) or event["ts"] < 0:
            raise ValueError(f"ts of {event} is no time")
        if event["ph"] == "X" and event["dur"] < 0:
            raise ValueError(f"dur of {event} is no duration")
        if event["ph"] in "be":
            begun[event["cat"], event["id"]] = begun.get((event["cat"], event["id"]), 0) + (1 if event["ph"] == "b" else -1)
    refuse_dropped(events)
    tracks = {(event["pid"], event["tid"]) for event in events if event["ph"] not in "MC"}
    if not tracks <= named:
        raise ValueError(f"tracks {sorted(tracks - named)} have no name")
    if any(begun.values()):
        raise ValueError(f"slices {[key for key, count in begun.items() if count][:3]} begin and do not end, or the other way round")
    return kinds


# CSV (RFC 4180).


def read_csv(path):
    with open(path, encoding="utf-8", errors="strict", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ValueError(f"row {number} has {len(row)} fields, the first one {len(rows[0])}")
    return rows


# npy and npz: numpy.lib.format, versions 1 to 3, and ZIP.

SIZES = {"b1": 1, "i1": 1, "u1": 1, "i2": 2, "u2": 2, "f2": 2, "i4": 4, "u4": 4, "f4": 4, "i8": 8, "u8": 8, "f8": 8}


def array_of(data):
    if data[:6] != b"\x93NUMPY":
        raise ValueError("the mark of npy is missing")
    version = data[6]
    size, begin = (struct.unpack("<H", data[8:10])[0], 10) if version == 1 else (struct.unpack("<I", data[8:12])[0], 12)
    if (begin + size) % 16 != 0:
        raise ValueError(f"values begin at byte {begin + size}, which 16 does not divide")
    header = data[begin:begin + size].decode("utf-8" if version == 3 else "latin1")
    if not header.endswith("\n"):
        raise ValueError("the header does not end with a line feed")
    fields = ast.literal_eval(header)
    if set(fields) != {"descr", "fortran_order", "shape"} or not isinstance(fields["shape"], tuple):
        raise ValueError(f"the header {header!r} has other fields than npy")
    order, kind, shape = fields["descr"][0], fields["descr"][1:], list(fields["shape"])
    if order != ("|" if SIZES[kind] == 1 else "<"):
        raise ValueError(f"the type {fields['descr']} has another order of bytes than this machine")
    count = 1
    for extent in shape:
        count *= extent
    if len(data) - begin - size != count * SIZES[kind]:
        raise ValueError(f"{len(data) - begin - size} bytes of values, needs {count * SIZES[kind]} for {shape}")
    return {"type": kind, "shape": shape}


def read_npy(path):
    return array_of(bytes_of(path))


def read_npz(path):
    with zipfile.ZipFile(path) as archive:
        bad = archive.testzip()
        if bad:
            raise ValueError(f"member {bad} is damaged")
        return {name: array_of(archive.read(name)) for name in archive.namelist()}


# SVG: XML, with each text inside of the view box. Widths are those of Helvetica, which the pictures ask for first
# (Adobe's font metrics, thousandths of the size), from ' ' to '~'.

HELVETICA = [int(width) for width in """
278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584
584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611
278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722
500 500 500 334 260 334 584""".split()]
NAMESPACE = "{http://www.w3.org/2000/svg}"


def width_of(text, size):
    return sum(HELVETICA[ord(c) - 32] if " " <= c <= "~" else 1000 for c in text) * size / 1000


def box_of(element):
    """Left, right, top, baseline and bottom of a text that is not turned."""
    x, y, size = (float(element.get(key)) for key in ("x", "y", "font-size"))
    width = width_of(element.text, size)
    left = x - {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor")]
    return left, left + width, y - 0.72 * size, y, y + 0.21 * size


def read_svg(path):
    text_of(path)
    root = xml.etree.ElementTree.parse(path).getroot()
    if root.tag != NAMESPACE + "svg":
        raise ValueError(f"the root is {root.tag}, no svg")
    left, top, width, height = (float(number) for number in root.get("viewBox").split())
    texts = [element for element in root.iter(NAMESPACE + "text")]
    boxes = []
    for element in texts:
        if element.get("transform"):
            continue
        box = box_of(element)
        if box[0] < left or box[1] > left + width or box[2] < top or box[4] > top + height:
            raise ValueError(f"the text {element.text!r} at {[round(v, 1) for v in box]} leaves the view box {root.get('viewBox')}")
        for other, before in boxes:
            if box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3]:
                raise ValueError(f"the texts {before!r} and {element.text!r} lie upon each other")
        boxes.append((box, element.text))
    return [element.text for element in texts]


# HTML: elements that are opened and closed in order, and nothing from outside of the file.

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.data = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href") or name.startswith("on"):
                raise ValueError(f"<{tag}> has {name}={value!r}")
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            raise ValueError(f"</{tag}> closes {self.open[-1:]} at line {self.getpos()[0]}")
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1][1].get("id") == "data":
            self.data += data


def read_html(path):
    text = text_of(path)
    if not text.lower().startswith("<!doctype html>"):
        raise ValueError("the first line is no document type")
    page = Page()
    page.feed(text)
    page.close()
    if page.open:
        raise ValueError(f"elements stay open: {page.open}")
    return {"tags": page.tags, "data": value_of(page.data)}


def main():
    kind, paths = sys.argv[1], sys.argv[2:]
    for path in paths:
        try:
            print(json.dumps(globals()["read_" + kind](path)))
        except (ValueError, KeyError, TypeError, csv.Error, xml.etree.ElementTree.ParseError, zipfile.BadZipFile) as error:
            print(f"{path} is no {kind} for others: {type(error).__name__}: {error}", file=sys.stderr)
            sys.exit(1)


if __name__ == "__main__":
    main()
