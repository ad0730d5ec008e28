# SPDX-License-Identifier: Apache-2.0
"""The delays of prjxray's database, which rows of timing/cells.json name as their sources."""
import re


def disagreements(rows, folder):
    """Figures of the table that the database of its sources does not have: prjxray's, zynq7/timings in `folder`."""
    wrong = []
    for row in rows:
        file, _, name = row["source"].partition(" ")
        if not file.endswith(".sdf"):
            continue
        blocks = re.findall(rf'CELLTYPE "{re.escape(name)}"\)(.*?)(?=\(CELL\s|\Z)', (folder / file).read_text(), re.S)
        known = {float(number) for block in blocks for number in re.findall(r"::(-?[\d.]+)\)", block)}
        given = [*row.get("launch", {}).values(), *row.get("setup", {}).values(), *(ns for arcs in row.get("arcs", {}).values() for ns in arcs.values())]
        wrong += [f"{row['source']}: {ns}" for ns in given if ns not in known]
    return wrong
