# SPDX-License-Identifier: Apache-2.0
"""Static timing analysis of the netlist that Yosys makes for AMD's 7 series: what hw/synth/timing.py and
hw/synth/pnr.sh share."""
