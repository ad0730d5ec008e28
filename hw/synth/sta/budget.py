# SPDX-License-Identifier: Apache-2.0
"""Budgets of a target (timing/budgets.json): ns of each unit, and how often a rule of structure may be broken."""
import json
import pathlib

FILE = pathlib.Path(__file__).resolve().parents[1] / "timing/budgets.json"
GROWTH = 1.03  # above it a path is longer than its budget: a change of the source moves others a little


def read(path=FILE):
    return json.loads(path.read_text()) if path.is_file() else {}


def too_slow(budget, paths):
    """Units, with path and budget, whose worst path has grown; a unit without budget needs one."""
    return [(unit, path, budget.get(unit)) for unit, path in paths.items() if path.ns > GROWTH * budget.get(unit, 0)]


def too_often(allowed, broken):
    """Rules that are broken more often than they were."""
    return [(rule, found, allowed.get(rule, 0)) for rule, found in broken.items() if len(found) > allowed.get(rule, 0)]


def renewed(old, paths, broken, tool):
    """Budgets as measured. What breaks a rule is counted and never grows here; a
    larger count is written by hand."""
    allowed = old.get("broken_rules", {})
    return {"ns": {unit: round(path.ns, 2) for unit, path in sorted(paths.items())},
            "tool": tool, "broken_rules": {rule: min(len(found), allowed.get(rule, len(found))) for rule, found in broken.items()}}


def write(name, entry, path=FILE):
    path.write_text(json.dumps({**read(path), name: entry}, indent=2, sort_keys=True) + "\n")
