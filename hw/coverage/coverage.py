#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Merges coverage files of the RTL engine (build coverage) and reports lines, nets and cover properties per file.

usage: coverage.py [--source ROOT] [--json FILE] [--lines PERCENT] [--toggles PERCENT] [--excluded PERCENT] FILE...

A line counts as covered when each branch on it was taken in some instance of its module. A bit of a net is covered when
it has risen and fallen; nets are counted in every instance. exclusions.txt beside this script names what need not be
covered, with the reason; one that is not needed any more is an error, as are more nets with exclusions than --excluded
percent. Exit status 1: a limit is missed.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent


# No nets of the hardware: what VDLA_STALL adds to builds that check, variables of loops, the clock (sampled while it is
# low).
NO_NETS = re.compile(r"stall_(state|rate)$|\.clk_i$|\bunnamedblk\d+\.|^TOP\.")


class Exclusion:
    """A line of exclusions.txt: `line FILE "TEXT": reason`, `net MODULE.NET[MSB:LSB]: reason`,
    `cover MODULE.NAME: reason`."""

    FORMS = {
        "line": re.compile(r'line (\S+) "(.*)": (\S.*)'),
        "net": re.compile(r"net (\w+)\.(\S+?)(?:\[(\d+)(?::(\d+))?\])?: (\S.*)"),
        "cover": re.compile(r"cover (\w+)\.(\w+): (\S.*)"),
    }

    def __init__(self, text, where):
        self.text, self.where, self.used = text, where, 0
        self.kind = text.split(" ", 1)[0]
        match = self.FORMS[self.kind].fullmatch(text) if self.kind in self.FORMS else None
        if not match:
            raise SystemExit(f"{where}: '{text}' is none of: line FILE \"TEXT\": reason; net MODULE.NET[MSB:LSB]: reason; cover MODULE.NAME: reason")
        self.parts = match.groups()

    def bits(self, net):
        """The mask of the bits of a net that it excludes."""
        _, pattern, msb, lsb, _ = self.parts
        if not fnmatch.fnmatchcase(net.path, pattern.replace("[", "[[]")):
            return 0
        if msb is None:
            return net.all
        low = int(lsb if lsb is not None else msb)
        return ((1 << (int(msb) - low + 1)) - 1) << low & net.all


def read_exclusions(path):
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            rows.append(Exclusion(line.strip(), f"{path.name}:{number}"))
    return rows


class Net:
    """A net of one instance: `path` is its name within the module, generate blocks included."""

    def __init__(self, scope, name, msb, lsb):
        self.scope, self.name, self.msb, self.lsb = scope, name, msb, lsb
        self.all = (1 << (abs(msb - lsb) + 1)) - 1
        self.rise = self.fall = self.excluded = 0
        self.module = self.path = None

    @property
    def missing(self):
        return self.all & ~(self.rise & self.fall)


def ranges(mask):
    """"7:4, 0" for a mask."""
    text, bit = [], mask.bit_length() - 1
    while bit >= 0:
        if mask >> bit & 1:
            low = bit
            while low > 0 and mask >> (low - 1) & 1:
                low -= 1
            text.append(str(bit) if low == bit else f"{bit}:{low}")
            bit = low
        bit -= 1
    return ", ".join(text)


class Design:
    """Modules, their files and instances, read from the sources that hw/files.f lists."""

    def __init__(self, source):
        self.source, self.file_of, self.instances = source, {}, {}
        for name in (source / "hw/files.f").read_text().split():
            text = re.sub(r"//[^\n]*|/\*.*?\*/", "", (source / name).read_text(), flags=re.S)
            module = re.search(r"\bmodule\s+(\w+)", text)
            if module:
                self.file_of[module[1]] = name
                self.instances[module[1]] = dict(self.find_instances(text))

    @staticmethod
    def find_instances(text):
        for match in re.finditer(r"^\s*(vdla_\w+)\s+(#\s*\(|(u_\w+)\s*\()", text, flags=re.M):
            if match[3]:
                yield match[3], match[1]
                continue
            depth, at = 1, match.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
            name = re.match(r"\s*(u_\w+)", text[at:])
            if name:
                yield name[1], match[1]

    def locate(self, scope):
        """(module, path inside it) of a scope such as vdla_top.u_core.gen_front[0].u_front."""
        parts = scope.split(".")
        module, inside = parts[0], []
        for part in parts[1:]:
            below = self.instances[module].get(part)
            if below:
                module, inside = below, []
            else:
                inside.append(part)
        return module, inside


def read_files(paths, design):
    points, nets = collections.Counter(), {}
    for path in paths:
        for line in pathlib.Path(path).read_text(errors="replace").splitlines():
            if line.startswith("C '"):
                key, _, count = line[3:].rpartition("' ")
                points[key] += int(count)
            elif line.startswith("T "):
                _, scope, name, msb, lsb, rise, fall = line.split(" ")
                net = nets.get((scope, name))
                if net is None:
                    net = nets[scope, name] = Net(scope, name, int(msb), int(lsb))
                    net.module, inside = design.locate(scope)
                    net.path = ".".join(inside + [name])
                net.rise |= int(rise, 16)
                net.fall |= int(fall, 16)
    return points, [n for n in nets.values() if not n.name.startswith("__V") and not NO_NETS.search(f"{n.scope}.{n.name}")]


def fields_of(key):
    return dict(part.split("\x02", 1) for part in key.split("\x01")[1:])


class Report:
    def __init__(self, design, points, nets, exclusions):
        self.lines = collections.defaultdict(dict)  # file -> line -> covered
        self.covers = {}  # (module, name) -> hits
        self.excluded_lines = collections.defaultdict(set)
        self.nets, self.design, self.exclusions = nets, design, exclusions
        branches = collections.Counter()
        for key, count in points.items():
            f = fields_of(key)
            kind, _, module = f.get("page", "").partition("/")
            file = f["f"]
            if file not in design.file_of.values():
                continue
            if kind == "v_user":
                self.covers[module.split("__")[0], f["o"]] = self.covers.get((module.split("__")[0], f["o"]), 0) + count
            else:
                branches[file, int(f["l"]), f.get("n", ""), f.get("o", ""), f.get("S", "")] += count
        for (file, line, _, _, block), count in branches.items():
            for number in {line} | set(self.numbers(block)):
                self.lines[file][number] = self.lines[file].get(number, True) and count > 0
        self.exclude()

    @staticmethod
    def numbers(block):
        for part in filter(None, block.split(",")):
            low, _, high = part.partition("-")
            yield from range(int(low), int(high or low) + 1)

    def exclude(self):
        by_module = collections.defaultdict(list)
        for net in self.nets:
            by_module[net.module].append(net)
        for e in self.exclusions:
            if e.kind == "line":
                source = (self.design.source / e.parts[0]).read_text().splitlines() if (self.design.source / e.parts[0]).exists() else []
                for number, text in enumerate(source, 1):
                    if e.parts[1] in text and self.lines[e.parts[0]].get(number) is False:
                        self.excluded_lines[e.parts[0]].add(number)
                        e.used += 1
            elif e.kind == "cover":
                if self.covers.get(e.parts[:2]) == 0:
                    del self.covers[e.parts[:2]]
                    e.used += 1
            else:
                named = needed = 0
                for net in by_module[e.parts[0]]:
                    bits = e.bits(net)
                    named |= bits
                    needed |= bits & net.missing
                    net.excluded |= bits & net.missing
                e.used = needed
                e.spare = named & ~needed

    def stale(self):
        for e in self.exclusions:
            if not e.used:
                yield f"{e.where}: '{e.text}' excludes nothing: it is covered, or there is no such thing"
            elif e.kind == "net" and e.parts[2] is not None and e.spare:
                yield f"{e.where}: '{e.text}': bits {ranges(e.spare)} are covered in every instance"

    def files(self):
        rows = {}
        for module, file in self.design.file_of.items():
            lines = {n: c for n, c in self.lines[file].items() if n not in self.excluded_lines[file]}
            nets = [n for n in self.nets if n.module == module]
            total = sum((n.all & ~n.excluded).bit_count() for n in nets)
            missing = sum((n.missing & ~n.excluded).bit_count() for n in nets)
            rows[file] = {"lines": len(lines), "lines_covered": sum(lines.values()), "bits": total, "bits_covered": total - missing,
                          "uncovered_lines": sorted(n for n, c in lines.items() if not c),
                          "uncovered_nets": {f"{n.scope}.{n.name}": f"{ranges(n.missing & ~n.excluded)}" for n in nets if n.missing & ~n.excluded}}
        return rows

    def totals(self, rows):
        total = {key: sum(r[key] for r in rows.values()) for key in ("lines", "lines_covered", "bits", "bits_covered")}
        total["nets"] = len(self.nets)
        total["nets_excluded"] = sum(1 for n in self.nets if n.excluded)
        total["bits_excluded"] = sum(n.excluded.bit_count() for n in self.nets)
        total["lines_excluded"] = sum(len(s) for s in self.excluded_lines.values())
        total["covers"] = len(self.covers)
        total["covers_hit"] = sum(1 for c in self.covers.values() if c)
        return total


def percent(part, whole):
    return 100.0 if whole == 0 else 100.0 * part / whole


def print_report(rows, total, report):
    print(f"{'file':40} {'lines':>16} {'bits of nets':>20}")
    for file, r in sorted(rows.items()) + [("total", total)]:
        print(f"{file:40} {r['lines_covered']:5}/{r['lines']:<5} {percent(r['lines_covered'], r['lines']):5.1f}"
              f" {r['bits_covered']:6}/{r['bits']:<6} {percent(r['bits_covered'], r['bits']):6.1f}")
    print(f"cover properties {total['covers_hit']}/{total['covers']}; excluded: {total['lines_excluded']} lines, {total['bits_excluded']} bits in "
          f"{total['nets_excluded']} of {total['nets']} nets ({percent(total['nets_excluded'], total['nets']):.1f} %)")
    for (module, name), count in sorted(report.covers.items()):
        if not count:
            print(f"never happens: {module}.{name}")
    for file, r in sorted(rows.items()):
        source = (report.design.source / file).read_text().splitlines()
        for number in r["uncovered_lines"]:
            print(f"{file}:{number}: {source[number - 1].strip()}")
    for file, r in sorted(rows.items()):
        for net, bits in sorted(r["uncovered_nets"].items()):
            print(f"{file}: {net} bits {bits}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--source", type=pathlib.Path, default=HERE.parent.parent, help="root of the kit's sources")
    parser.add_argument("--exclusions", type=pathlib.Path, default=HERE / "exclusions.txt")
    parser.add_argument("--json", type=pathlib.Path, help="also write the report here")
    parser.add_argument("--lines", type=float, default=0, help="percent of lines that must be covered")
    parser.add_argument("--toggles", type=float, default=0, help="percent of bits that must rise and fall")
    parser.add_argument("--excluded", type=float, default=100, help="percent of nets that may have exclusions")
    args = parser.parse_args()
    design = Design(args.source)
    points, nets = read_files(args.files, design)
    report = Report(design, points, nets, read_exclusions(args.exclusions))
    rows = report.files()
    total = report.totals(rows)
    print_report(rows, total, report)
    if args.json:
        args.json.write_text(json.dumps({"total": total, "files": rows}, indent=1) + "\n")
    faults = list(report.stale())
    for what, seen, need in (("lines", percent(total["lines_covered"], total["lines"]), args.lines),
                             ("bits of nets", percent(total["bits_covered"], total["bits"]), args.toggles)):
        if seen < need:
            faults.append(f"{seen:.2f} % of the {what} are covered, need {need:g} %")
    if percent(total["nets_excluded"], total["nets"]) > args.excluded:
        faults.append(f"{percent(total['nets_excluded'], total['nets']):.2f} % of the nets have exclusions, at most {args.excluded:g} % may")
    for fault in faults:
        print(f"coverage.py: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
