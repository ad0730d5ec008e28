# SPDX-License-Identifier: Apache-2.0
"""The check of instructions in SystemVerilog against the formulas of isa/generated/legality.smt2, for every 512-bit
word."""
import json
import re

import counterexample


def geometry(formulas):
    """The numbers of the geometry that the formulas take behind the words of the instruction, named as the hardware's
    parameters."""
    head = re.search(r"\(define-fun broken-rule \((.*)\) \(", formulas).group(1)
    return [name.title().replace("_", "") for name in re.findall(r"\(([a-z_]+) \(_ BitVec 64\)\)", head)]


def ask(text, name, folder, command, timeout):
    query = folder / f"{name}.smt2"
    query.write_text(text)
    code, answer = command(["z3", str(query)], folder / "log.txt", timeout)
    return "timeout" if code is None else answer


def arguments(words, numbers):
    return " ".join(words) + " " + " ".join(f"#x{int(number):016x}" for number in numbers)


def prove(proof, values, source, folder, yosys, command, timeout):
    """None when both agree on legality and rule for all words, and every rule can be the broken one; else why not."""
    isa = json.loads((source / "isa/generated/isa.json").read_text())
    smt = folder / "design.smt2"
    chparam = "".join(f" -chparam {name} {value}" for name, value in values.items())
    files = " ".join(f"source/{f}" for f in ["isa/generated/vdla_isa_pkg.sv"] + proof.sources)
    script = (f"read_verilog -sv {files}; hierarchy -check -top {proof.top}{chparam}; rename -top {proof.top}; "
              f"prep -flatten -top {proof.top}; write_smt2 -wires {smt.name}")
    code, text = yosys(script, source, folder)
    if code != 0:
        return "yosys cannot read the sources: " + text.strip()[-300:]
    formulas = (source / "isa/generated/legality.smt2").read_text()
    numbers = [values[name] for name in geometry(formulas)]
    insn = f"(|{proof.top}_n insn_i| s)"
    words = [f"((_ extract {64 * w + 63} {64 * w}) {insn})" for w in range(8)]
    head = (smt.read_text() + "\n" + formulas + f"\n(declare-const s |{proof.top}_s|)\n(assert (|{proof.top}_u| s))\n"
            f"(define-fun rule () (_ BitVec 8) (broken-rule {arguments(words, numbers)}))\n"
            f"(define-fun rtl-rule () (_ BitVec 8) (|{proof.top}_n rule_o| s))\n"
            f"(define-fun rtl-illegal () Bool (|{proof.top}_n illegal_o| s))\n"
            f"(define-fun valid () Bool (|{proof.top}_n valid_i| s))\n")
    differ = ("(assert (not (ite valid (and (= rule rtl-rule) (= rtl-illegal (distinct rule #x00)))\n"
              "                        (and (= rtl-rule #x00) (not rtl-illegal)))))\n(check-sat)\n")
    answer = ask(head + differ + f"(get-value ({insn} rule rtl-rule rtl-illegal))\n", "differ", folder, command, timeout)
    if answer.startswith("sat"):
        bits = re.search(r"#([xb])([0-9a-f]+)", answer)
        word = bin(int(bits.group(2), 16 if bits.group(1) == "x" else 2))[2:].zfill(512)
        return (f"they differ on {counterexample.decode(word, isa)}\n      "
                + " ".join(answer.split("\n", 1)[1].split())[-160:])
    if not answer.startswith("unsat"):
        return "z3 gave no answer: " + answer[:200]
    # not vacuous: legal words of each opcode, and each rule as the lowest broken one
    rules = "".join(f"(push)(assert (= rule (_ bv{n} 8)))(check-sat)(pop)\n" for n in range(len(isa["rules"]) + 1))
    answers = ask(head + "(assert valid)\n" + rules, "reach", folder, command, timeout).split()
    square = values["BlockIn"] == values["BlockOut"]
    # with BlockIn == BlockOut these two hold always; otherwise the first goes before vector_dst_base_inp
    implied = {"vector_dst_square", "vector_a_square"} if square else {"vector_dst_base_inp"}
    names = ["legal"] + [rule["name"] for rule in isa["rules"]]
    dead = {name for name, answer in zip(names, answers) if answer != "sat"}
    full = {rule for rule, depth in OVERFULL.items() if int(values[depth]) == 1 << 16}
    if len(answers) != len(names) or not dead <= implied | full:
        return "no word breaks " + ", ".join(sorted(dead - implied - full)) if dead else "z3 gave no answer: " + str(answers[:3])
    return None


# A 16-bit index cannot leave a buffer of 2^16 entries.
OVERFULL = {"load_base_inp": "InpDepth", "load_base_wgt": "WgtDepth", "load_base_out": "OutDepth", "load_base_par": "ParDepth",
            "load_base_uop": "UopDepth", "store_base": "OutDepth", "gemm_acc_base": "AccDepth", "gemm_inp_base": "InpDepth",
            "gemm_wgt_base": "WgtDepth", "vector_dst_base_acc": "AccDepth", "vector_dst_base_inp": "InpDepth",
            "vector_dst_base_out": "OutDepth", "vector_a_base_acc": "AccDepth", "vector_a_base_inp": "InpDepth",
            "vector_a_base_out": "OutDepth", "vector_b_base": "ParDepth"}
