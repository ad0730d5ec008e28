# SPDX-License-Identifier: Apache-2.0
"""Reads the subset of SystemVerilog that the hardware is written in: finds assignments, conditions and port
connections.

A file becomes a list of Site; each has an expression tree whose nodes know their place in the text. What is not read is
an error, so that nothing is passed over in silence.
"""
import dataclasses
import re

from sv_expression import Expressions, Node

DECLARATIONS = {"logic", "wire", "int", "typedef", "localparam", "parameter", "genvar", "integer"}


@dataclasses.dataclass
class Site:
    kind: str  # continuous, blocking, nonblocking, condition, select, item, port
    value: Node
    begin: int  # begin of the statement
    end: int
    target: Node = None


class Reader(Expressions):
    def __init__(self, text, name):
        super().__init__(text, name)
        self.sites = []
        self.types = set()  # types that a typedef of this file makes
        self.signed = set(re.findall(r"\bsigned\s*(?:\[[^\]]*\])?\s*(\w+)", text))

    # --- modules ---
    def read(self):
        while self.group() != "end":
            word = self.peek()
            if word == "module":
                self.skip_to(";")
                self.items("endmodule")
            elif word == "package":
                while self.take() != "endpackage":
                    pass
            else:
                self.macro()
        return self.sites

    def macro(self):
        if self.group() != "macro":
            self.take("module", "package", "a macro")
        line_end = self.text.find("\n", self.begin())
        name = self.take()
        if self.peek() == "(" and self.begin() < line_end and name not in ("`include", "`ifdef", "`ifndef"):
            self.at += 1
            self.skip_to(")")
        else:
            while self.group() != "end" and self.begin() < line_end:
                self.at += 1

    def items(self, stop):
        while self.peek() != stop:
            word = self.peek()
            if self.group() == "macro":
                self.macro()
            elif word in DECLARATIONS or self.is_declaration():
                self.skip_to(";")
                if word == "typedef":
                    self.types.add(self.tokens[self.at - 2][1])
            elif word == "assign":
                self.at += 1
                self.assignment("continuous")
            elif word == "always_comb":
                self.at += 1
                self.statement()
            elif word in ("always_ff", "always"):
                self.at += 1
                self.take("@")
                self.take("(")
                self.skip_to(")")
                self.statement()
            elif word == "function":
                self.skip_to(";")
                while self.peek() != "endfunction":
                    self.statement()
                self.at += 1
            elif word in ("for", "if"):  # generate: fixed when the machine is built
                self.at += 1
                self.take("(")
                self.skip_to(")")
                self.block()
                if self.peek() == "else":
                    self.at += 1
                    if self.peek() == "if":
                        continue
                    self.block()
            else:
                self.instance()
        self.at += 1

    def block(self):
        self.take("begin")
        if self.peek() == ":":
            self.at += 2
        self.items("end")

    def is_declaration(self):
        return self.peek() in self.types or (self.peek(1) == "::" and self.tokens[self.at + 3][0] == "ident")

    def instance(self):
        self.at += 1
        if self.peek() == "#":
            self.at += 1
            self.take("(")
            self.skip_to(")")
        self.at += 1
        self.take("(")
        while self.peek() == ".":
            self.at += 1
            port = self.take()
            self.take("(")
            if self.peek() != ")":
                value = self.expression()
                if port.endswith("_i") and port != "clk_i":
                    self.sites.append(Site("port", value, value.begin, value.end))
            self.take(")")
            if self.peek() == ",":
                self.at += 1
        self.take(")")
        self.take(";")

    # --- statements ---
    def statement(self):
        word = self.peek()
        if word == "begin":
            self.at += 1
            if self.peek() == ":":
                self.at += 2
            while self.peek() != "end":
                self.statement()
            self.at += 1
        elif word == ";":
            self.at += 1
        elif word in DECLARATIONS or word == "automatic":
            self.skip_to(";")
        elif word == "if":
            self.at += 1
            self.take("(")
            value = self.expression()
            self.take(")")
            self.sites.append(Site("condition", value, value.begin, value.end))
            self.statement()
            if self.peek() == "else":
                self.at += 1
                self.statement()
        elif word == "for":  # over lanes: unrolled when the machine is built
            self.at += 1
            self.take("(")
            self.skip_to(")")
            self.statement()
        elif word in ("case", "unique"):
            self.case()
        else:
            self.assignment("")

    def case(self):
        if self.peek() == "unique":
            self.at += 1
        self.take("case")
        self.take("(")
        value = self.expression()
        self.take(")")
        self.sites.append(Site("select", value, value.begin, value.end))
        while self.peek() != "endcase":
            if self.peek() == "default":
                self.at += 1
            else:
                while True:
                    value = self.expression()
                    self.sites.append(Site("item", value, value.begin, value.end))
                    if self.peek() != ",":
                        break
                    self.at += 1
            self.take(":")
            self.statement()
        self.at += 1

    def assignment(self, kind):
        begin = self.begin()
        target = self.primary()
        kind = kind or {"=": "blocking", "<=": "nonblocking"}.get(self.peek(), "")
        self.take("=", "<=")
        value = self.expression()
        self.take(";")
        self.sites.append(Site(kind, value, begin, self.last_end(), target))


def read(text, name):
    reader = Reader(text, name)
    return reader.read(), reader.signed
