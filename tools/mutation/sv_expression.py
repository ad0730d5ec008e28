# SPDX-License-Identifier: Apache-2.0
"""Tokens and expressions of SystemVerilog, as the hardware uses them; each node knows its place in the text."""
import dataclasses
import re

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<macro>`\w+)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<number>(?:\d[\d_]*)?'[sS]?[bodhBODH][0-9a-fA-F_xzXZ?]+|'[01](?!\w)|\d[\d_]*)
    |(?P<ident>[$A-Za-z_][\w$]*)
    |(?P<op><<<|>>>|<<|>>|<=|>=|==|!=|&&|\|\||\+:|-:|::|\+\+|--|\+=|.)""",
    re.X | re.S,
)
LEVELS = [["?"], ["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>", "<<<", ">>>"],
          ["+", "-"], ["*", "/", "%"]]


class Unreadable(Exception):
    pass


@dataclasses.dataclass
class Node:
    kind: str  # literal name call cast concat repeat unary binary ternary paren
    begin: int
    end: int
    op: str = ""
    parts: list = dataclasses.field(default_factory=list)
    # Indices of a name: (base Node, width or low bound Node or None, ':' or '+:').
    indices: list = dataclasses.field(default_factory=list)


class Expressions:
    def __init__(self, text, name):
        self.text, self.file, self.at = text, name, 0
        self.tokens = []
        for match in TOKEN.finditer(text):
            if match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match.group(), match.start(), match.end()))
        self.tokens.append(("end", "", len(text), len(text)))

    # --- tokens ---
    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1]

    def group(self):
        return self.tokens[self.at][0]

    def begin(self):
        return self.tokens[self.at][2]

    def last_end(self):
        return self.tokens[self.at - 1][3]

    def take(self, *wanted):
        text = self.peek()
        if wanted and text not in wanted:
            line = self.text.count("\n", 0, self.begin()) + 1
            raise Unreadable(f"{self.file}:{line}: read '{text}', expected {' or '.join(wanted)}")
        self.at += 1
        return text

    def skip_to(self, stop):
        """Past the next `stop` outside brackets."""
        depth = 0
        while depth or self.peek() != stop:
            if self.group() == "end":
                self.take(stop)
            depth += self.peek() in ("(", "[", "{")
            depth -= self.peek() in (")", "]", "}")
            self.at += 1
        self.at += 1

    # --- expressions ---
    def expression(self, level=0):
        if level == len(LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        if level == 0:
            if self.peek() == "?":
                self.at += 1
                yes = self.expression()
                self.take(":")
                no = self.expression()
                return Node("ternary", left.begin, no.end, "?", [left, yes, no])
            return left
        while self.peek() in LEVELS[level]:
            op = self.take()
            right = self.expression(level + 1)
            left = Node("binary", left.begin, right.end, op, [left, right])
        return left

    def unary(self):
        if self.peek() in ("!", "~", "-", "&", "|", "^"):
            begin, op = self.begin(), self.take()
            part = self.unary()
            return Node("unary", begin, part.end, op, [part])
        return self.primary()

    def primary(self):
        begin, group = self.begin(), self.group()
        if self.peek() == "(":
            self.at += 1
            part = self.expression()
            self.take(")")
            node = Node("paren", begin, self.last_end(), "", [part])
        elif self.peek() == "{":
            node = self.braces(begin)
        elif group == "number":
            self.at += 1
            node = Node("literal", begin, self.last_end(), self.tokens[self.at - 1][1])
        elif group == "ident":
            node = self.name(begin)
        else:
            self.take("an expression")
        if self.peek() == "'":
            self.at += 1
            self.take("(")
            part = self.expression()
            self.take(")")
            node = Node("cast", begin, self.last_end(), "", [part])
        return node

    def braces(self, begin):
        self.at += 1
        first = self.expression()
        if self.peek() == "{":
            part = self.braces(self.begin())
            self.take("}")
            return Node("repeat", begin, self.last_end(), "", [part])
        parts = [first]
        while self.peek() == ",":
            self.at += 1
            parts.append(self.expression())
        self.take("}")
        return Node("concat", begin, self.last_end(), "", parts)

    def name(self, begin):
        text = self.take()
        while self.peek() in ("::", "."):
            text += self.take() + self.take()
        if self.peek() == "(":
            self.at += 1
            parts = [self.expression()]
            while self.peek() == ",":
                self.at += 1
                parts.append(self.expression())
            self.take(")")
            return Node("call", begin, self.last_end(), text, parts)
        node = Node("name", begin, self.last_end(), text)
        while self.peek() in ("[", "."):
            if self.take() == ".":
                self.at += 1
                continue
            base, width, op = self.expression(), None, ""
            if self.peek() in (":", "+:"):
                op = self.take()
                width = self.expression()
            self.take("]")
            node.indices.append((base, width, op))
        node.end = self.last_end()
        return node
