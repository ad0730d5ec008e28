#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Estimates how fast a machine or a unit of it is: synthesises it with Yosys for AMD's 7 series (-1) and adds up the
delays of cells and nets between registers, before anything is placed.

  timing.py tiny                    the whole machine: the longest path of each unit, in ns and MHz (2 minutes)
  timing.py my_variant.json         the same for a variant of your own
  timing.py gemm                    a module alone: array, control, fetch, gemm, issue, lane, load, request, store
  timing.py lane --group --paths 9  the longest paths by the register where they end
  timing.py tiny --unit lane        one unit, with each cell and net on its longest path
  timing.py tiny --check            fails where a path is 3 % longer than its budget (hw/synth/timing/budgets.json), or
                                    a rule of structure is broken more often
  timing.py tiny --renew            writes the budgets

A path is that of the unit where it ends. A module alone has registers around it, or block RAM where targets.json says
so. Nets are estimated from their fanout; hw/synth/pnr.sh places and routes. Exit status: 0 done, 1 a budget is
exceeded, 2 what was asked for cannot be done.
"""
import argparse
import collections
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sta import budget, nets, rules, target  # noqa: E402
from sta.cells import Library  # noqa: E402
from sta.netlist import load, readable, without_indices  # noqa: E402
from sta.paths import Analysis, Unknown  # noqa: E402


def cells_on(path):
    """`LUT6 x5 CARRY4 x2`: kinds of cells on a path, in the order in which it meets them."""
    kinds = collections.Counter(step.cell.kind for step in path.steps if step.cell)
    return " ".join(f"{kind} x{n}" if n > 1 else kind for kind, n in kinds.items())


def short(name):
    """A name without the instances that hold all of the machine."""
    return name.removeprefix("u_dut.").removeprefix("u_top.").removeprefix("u_core.")


def line_of(unit, path):
    return f"{unit:10} {path.ns:6.2f} {1000 / path.ns:6.1f}  {short(path.start)} -> {short(path.end.name)}.{path.end.pin} [{cells_on(path)}]"


def details(analysis, path):
    """A path, net by net."""
    lines = [f"     ns   cell    net  fanout  from {short(path.start)}"]
    for bit, step in zip(path.bits, path.steps):
        cell = step.cell.kind if step.cell else "port"
        lines.append(f"{step.ns:7.2f} {step.logic:6.2f} {step.net:6.2f} {analysis.netlist.fanout(bit):7}  {cell:9} "
                     f"{short(readable(analysis.netlist.name(bit)))}")
    lines.append(f"{path.ns:7.2f} {path.end.setup:6.2f} {path.end.net:6.2f}          to {short(path.end.name)}.{path.end.pin}")
    return lines


def paths_of(analysis, units):
    worst = analysis.worst_by(lambda end: analysis.netlist.unit(end.name, units))
    return {unit: analysis.path(end) for unit, end in worst.items()}


def table(analysis, what, options):
    """Units, or with --group registers, with their longest paths."""
    unit_of = lambda end: analysis.netlist.unit(end.name, what.units)
    ends = [end for end in analysis.ends if options.unit in (None, unit_of(end))]
    if not ends:
        raise target.Refused(f"no path ends in unit '{options.unit}', needs one of {', '.join(sorted({unit_of(e) for e in analysis.ends}))}")
    rows = {}
    for end in ends:
        rows.setdefault((without_indices(end.name), end.pin) if options.group else unit_of(end), end)
    paths = [(unit_of(end), analysis.path(end)) for end in list(rows.values())[:options.paths]]
    lines = ["unit           ns    MHz  longest path [cells]"] + [line_of(unit, path) for unit, path in paths]
    return lines + (["", *details(analysis, paths[0][1])] if options.unit and not options.group else [])


def check(analysis, what, budgets):
    """Sentences about each path and rule over budget, with the path."""
    name, paths, found = what.name, paths_of(analysis, what.units), []
    given = budget.read(budgets).get(name, {})
    for unit, path, ns in budget.too_slow(given.get("ns", {}), paths):
        found.append(f"{name}: the longest path of unit {unit} takes {path.ns:.2f} ns, needs {ns} (+3 %) or less; shorten it, or renew the budget "
                     f"(timing.py {name} --renew)" if ns else f"{name}: unit {unit} has no budget; add it (timing.py {name} --renew)")
        found += ["  " + line for line in details(analysis, path)]
    for rule, places, count in budget.too_often(given.get("broken_rules", {}), rules.broken(analysis.netlist)):
        found += [f"{name}: {len(places)} {rule.replace('_', ' ')}, needs {count} or fewer:"] + ["  " + place for place in places]
    if found and given.get("tool", target.yosys()) != target.yosys():
        found.append(f"the budgets are of {given['tool']}, the netlist is of {target.yosys()}")
    return found


def analyse(what, netlist):
    with tempfile.TemporaryDirectory() as folder:
        if not netlist or not netlist.is_file():
            netlist = netlist or pathlib.Path(folder) / "netlist.json"
            what.synthesise(netlist)
        analysis = Analysis(load(netlist, what.name), Library.standard(), nets.estimate, what.late)
    if analysis.unknown:
        raise Unknown(f"no delays of {', '.join(sorted(analysis.unknown))}; add them to hw/synth/timing/cells.json")
    return analysis


def run(options):
    what = target.Target(options.target)
    analysis = analyse(what, options.netlist)
    if options.renew:
        old = budget.read(options.budgets).get(what.name, {})
        new = budget.renewed(old, paths_of(analysis, what.units), rules.broken(analysis.netlist), target.yosys())
        budget.write(what.name, new, options.budgets)
        return 0
    if options.check:
        over = check(analysis, what, options.budgets)
        print("\n".join(over) or f"{what.name}: within budget")
        return 1 if over else 0
    print("\n".join(table(analysis, what, options)))
    broken = {rule.replace("_", " "): len(found) for rule, found in rules.broken(analysis.netlist).items()}
    print("\n" + ", ".join(f"{count} {rule}" for rule, count in broken.items()))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", help="a variant (tiny, paper, a file) or a module of hw/synth/timing/targets.json")
    parser.add_argument("--unit", help="only paths that end in this unit")
    parser.add_argument("--group", action="store_true", help="the longest path to each register instead of each unit")
    parser.add_argument("--paths", type=int, default=40, help="rows of the table (default: 40)")
    parser.add_argument("--netlist", type=pathlib.Path, help="keeps the netlist in this file, or reads it where the file is there")
    parser.add_argument("--budgets", type=pathlib.Path, default=budget.FILE, help="the file of budgets (default: hw/synth/timing/budgets.json)")
    parser.add_argument("--check", action="store_true", help="compares with the budgets")
    parser.add_argument("--renew", action="store_true", help="writes the budgets")
    try:
        return run(parser.parse_args())
    except (target.Refused, Unknown, FileNotFoundError) as error:
        print(f"timing.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
