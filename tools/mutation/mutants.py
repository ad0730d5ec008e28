# SPDX-License-Identifier: Apache-2.0
"""Lists the single faults that can be planted in SystemVerilog text, and writes text in which they are chosen at run
time.

A mutant replaces the text of one expression (or drops one assignment). Widths and signs of the expression stay: a
constant that is put beside an expression is of one bit, or signed beside a signed one.
"""
import dataclasses
import re

import sv

OPERATORS = {"+": "-", "-": "+", "&": "|", "|": "&", "^": "|", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||",
             "||": "&&", "<<": ">>", ">>": "<<", ">>>": ">>", "*": "+", "/": "*", "%": "/"}
SELECTED = "vdla_mutation_pkg::selected"
# Read once when a machine is made; in front of the first file of each build. The rules that the faults break are not
# warned about.
PACKAGE = """/* verilator lint_off WIDTH */
/* verilator lint_off UNUSED */
/* verilator lint_off CASEINCOMPLETE */
/* verilator lint_off UNOPTFLAT */
/* verilator lint_off CMPCONST */
/* verilator lint_off UNSIGNED */
/* verilator lint_off SELRANGE */
/* verilator lint_off LATCH */
/* verilator lint_off DECLFILENAME */
/* verilator lint_off CASEOVERLAP */
/* verilator lint_off CASEWITHX */
package vdla_mutation_pkg;
  int unsigned selected = $c("(std::getenv(\\"VDLA_MUTANT\\") ? std::atoi(std::getenv(\\"VDLA_MUTANT\\")) : 0)");
endpackage
"""


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    kind: str
    begin: int
    end: int
    before: str
    after: str
    number: int = 0

    def key(self, occurrence):
        """Names the mutant in every version of the tree that has its text."""
        return f"{self.file}|{self.kind}|{self.before}|{self.after}|{occurrence}"


class Lister:
    def __init__(self, text, file):
        self.text, self.file = text, file
        self.sites, self.signed = sv.read(text, file)
        self.stalls = set(re.findall(r"`VDLA_STALL\((\w+)\)", text))  # only tests drive them
        self.found = {}

    def source(self, node):
        return self.text[node.begin:node.end]

    def add(self, kind, node, after):
        self.add_span(kind, node.begin, node.end, after)

    def add_span(self, kind, begin, end, after):
        before = self.text[begin:end]
        if before != after and before.strip("!() ") not in self.stalls:
            line = self.text.count("\n", 0, begin) + 1
            self.found.setdefault((begin, end, after), Mutant(self.file, line, kind, begin, end, before, after))

    def is_signed(self, node):
        text = self.source(node)
        return "$signed" in text or "'s" in text or any(re.search(rf"\b{name}\b", text) for name in self.signed)

    def one(self, node):
        return "2'sd1" if self.is_signed(node) else "1'b1"

    def list(self):
        for site in self.sites:
            if site.target is not None and site.target.op == "unused":
                continue  # names for lint what nothing reads
            value = site.value
            if site.kind in ("condition",):
                self.condition(value)
            elif site.kind == "item":
                pass
            else:
                self.whole(site)
            self.walk(value, site.kind not in ("condition",))
            if site.kind == "nonblocking":
                self.add_span("assignment dropped", site.begin, site.end, "")
                for base, _, op in site.target.indices:
                    if op != ":":
                        self.add("index", base, f"({self.source(base)}) + 1'b1")
        return sorted(self.found.values(), key=lambda m: (m.begin, -m.end, m.kind, m.after))

    def whole(self, site):
        value, text = site.value, self.source(site.value)
        what = {"port": "port", "select": "case"}.get(site.kind, "assignment")
        literal = constant_value(text) if value.kind == "literal" else None
        self.add(f"{what} inverted", value, f"({text}) ^ {self.one(value)}")
        if literal is None and site.kind != "select":
            self.add(f"{what} zeroed", value, "1'sb0")

    def condition(self, node, stuck=("1'b1", "1'b0")):
        inner = node
        while inner.kind == "paren":
            inner = inner.parts[0]
        if inner.op not in ("==", "!="):  # else the operator's replacement says the same
            self.add("condition negated", node, f"!({self.source(node)})")
        for value in stuck:
            self.add("condition stuck", node, value)

    def walk(self, node, whole=False, index=False):
        text = self.source
        if node.kind == "binary":
            left, right = node.parts
            if node.op in OPERATORS:
                self.add("operator", node, f"{text(left)} {OPERATORS[node.op]} {text(right)}")
            for part in node.parts:
                if node.op in ("&&", "||") and not self.is_logical(part):
                    self.condition(part, ("1'b1",) if node.op == "&&" else ("1'b0",))
                self.walk(part)
        elif node.kind == "unary":
            part = node.parts[0]
            if node.op in ("~", "-"):
                self.add("operator", node, f"({text(part)})")
            elif node.op in ("&", "|"):
                self.add("operator", node, f"({OPERATORS[node.op]}({text(part)}))")
            elif node.op == "!" and not whole:
                self.add("condition negated", node, f"!({text(node)})")
            self.walk(part)
        elif node.kind == "ternary":
            self.condition(node.parts[0])
            for part in node.parts:
                self.walk(part)
        elif node.kind == "literal":
            if not whole:
                self.constant(node)
        elif node.kind == "name":
            self.name(node)
        elif node.kind == "call":
            if node.op != "$clog2":
                for part in node.parts:
                    self.walk(part)
        elif node.kind in ("paren", "concat", "repeat", "cast"):
            for part in node.parts:
                self.walk(part, whole and node.kind == "paren")

    def is_logical(self, node):
        while node.kind == "paren":
            node = node.parts[0]
        return node.op in ("&&", "||")

    def constant(self, node):
        text = self.source(node)
        if text in ("'0", "'1"):
            self.add("constant", node, "1'b1" if text == "'0" else "1'b0")
            return
        match = re.fullmatch(r"(\d+)('[sS]?)([bodhBODH])([0-9a-fA-F_]+)", text)
        if not match:
            if text.isdigit():
                self.add("constant", node, str(int(text) + 1))
            return
        width, mark, base, digits = match.groups()
        radix = {"b": 2, "o": 8, "d": 10, "h": 16}[base.lower()]
        value = (int(digits.replace("_", ""), radix) + 1) % (1 << int(width))
        self.add("constant", node, f"{width}{mark}d{value}" if radix == 10 else f"{width}{mark}h{value:x}")

    def name(self, node):
        text = self.source(node)
        last = node.op.split("::")[-1]
        if last[0].isupper():  # a named constant
            self.add("constant", node, f"({text} + {self.one(node)})")
            return
        for base, width, op in node.indices:
            if op == ":":
                if len(node.indices) == 1:
                    low, high = text_of(self.text, width), text_of(self.text, base)
                    root = text[: text.index("[")]
                    self.add("index", node, f"(({high}) - ({low}) + 1)'({root} >> (({low}) + 1))")
            else:
                self.add("index", base, f"({text_of(self.text, base)}) + 1'b1")


def text_of(text, node):
    return text[node.begin:node.end]


def constant_value(text):
    match = re.fullmatch(r"(?:\d*'[sS]?([bodhBODH]))?'?([0-9a-fA-F_]+)", text)
    return int(match.group(2).replace("_", ""), {"b": 2, "o": 8, "h": 16}.get((match.group(1) or "d").lower(), 10)) if match else None


def list_mutants(root, files):
    """All mutants of the files, numbered from 1, and the key of each."""
    result, keys, seen = [], {}, {}
    for file in files:
        for mutant in Lister((root / file).read_text(), file).list():
            mutant = dataclasses.replace(mutant, number=len(result) + 1)
            result.append(mutant)
            base = mutant.key("")
            seen[base] = seen.get(base, 0) + 1
            keys[mutant.number] = mutant.key(seen[base])
    return result, keys


def choose(mutant, body):
    if mutant.after == "":
        return f"begin if ({SELECTED} != 32'd{mutant.number}) {body} end"
    return f"(({SELECTED} == 32'd{mutant.number}) ? ({mutant.after}) : ({body}))"


def plant(text, mutants, choose=choose):
    """The text with every mutant in it, each chosen by its number. Their places are nested or apart."""
    order = sorted(mutants, key=lambda m: (m.begin, -m.end))

    def render(begin, end, inside):
        out, at, i = "", begin, 0
        while i < len(inside):
            first = inside[i]
            same = [m for m in inside[i:] if (m.begin, m.end) == (first.begin, first.end)]
            within = [m for m in inside[i:] if first.begin <= m.begin and m.end <= first.end and m not in same]
            body = render(first.begin, first.end, within)
            for m in same:
                body = choose(m, body)
            out += text[at:first.begin] + body
            at = first.end
            i += len(same) + len(within)
        return out + text[at:end]

    return render(0, len(text), order)


def apply(text, mutant):
    """The text with one mutant in place of what it replaces."""
    after = f"({mutant.after})" if mutant.after else ";"
    return text[:mutant.begin] + after + text[mutant.end:]
