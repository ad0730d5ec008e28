# SPDX-License-Identifier: Apache-2.0
"""Delays of nets before anything is placed, from fanout and from the kinds of cells at both ends."""
import math

from sta.cells import is_lut

BASE, PER_DOUBLING, MOST = 0.45, 0.17, 1.9  # ns; a net of fanout 1, each doubling of fanout, the longest
COLUMN = 0.35   # more at each end that is a multiplier or a block RAM, which stand in columns of their own
CASCADE = 0.05  # between multipliers of a cascade


def beside(driver, output, sink, pin, fanout):
    """Whether placers put both cells into one slice, joined by wires inside of it."""
    if sink.kind == "CARRY4":
        return (driver.kind == "CARRY4" and pin[0] == "CI") or (is_lut(driver) and pin[0] == "S")
    if sink.kind in ("MUXF7", "MUXF8"):
        return pin[0] != "S"
    if sink.kind.startswith("FD") and pin[0] == "D" and fanout == 1:
        return is_lut(driver) or driver.kind in ("CARRY4", "MUXF7", "MUXF8")
    return sink.kind in ("INV", "OBUF", "BUFG")


def in_column(cell):
    return cell is not None and cell.kind.startswith(("DSP", "RAMB"))


def with_fast_pins(inputs):
    """Inputs of a LUT as (arrival, net, delay of the net, delay of the pin): routers swap pins, so the net that is last
    takes the fastest one."""
    delays = sorted((logic for *_, logic in inputs), reverse=True)
    return [(at, bit, net, logic) for (at, bit, net, _), logic in zip(sorted(inputs), delays)]


def estimate(driver, output, sink, pin, fanout):
    """ns from a driver's pin to a sink's pin; None stands for a port of the top module."""
    if driver and sink:
        if driver.kind == "DSP48E1" and output[0] == "PCOUT":
            return CASCADE
        if beside(driver, output, sink, pin, fanout):
            return 0.0
    return min(BASE + PER_DOUBLING * math.log2(max(1, fanout)), MOST) + COLUMN * (in_column(driver) + in_column(sink))


estimate.lut = with_fast_pins
