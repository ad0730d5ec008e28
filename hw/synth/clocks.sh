#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that one clock, ungated, drives all of the machine: names each register and memory that something else than
# aclk clocks, and each latch and asynchronous reset. Exit status 0: none; 1: some; 2, 3: as gates.sh. For changed
# hardware, with clock gates for a chip for example, which an FPGA's build must not keep.
# usage: clocks.sh --source ROOT [NAME=VALUE...]
# NAME=VALUE are parameters of vdla_axi.
set -euo pipefail
source_root="" parameters=""
while [ $# -gt 0 ]; do
  case "$1" in
    --source) source_root=$2; shift 2 ;;
    *=*) parameters+=" -chparam ${1%%=*} ${1#*=}"; shift ;;
    *) echo "clocks.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
done
[ -n "$source_root" ] || { echo "clocks.sh: needs --source" >&2; exit 2; }
yosys=${YOSYS:-yosys}
command -v "$yosys" >/dev/null || { echo "clocks.sh: no yosys; install the package 'yosys'" >&2; exit 3; }
# Names in the script are without spaces, as yosys wants them.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source_root"
# A cell is right when aclk itself stands at its port CLK.
"$yosys" -q -p "
  read_verilog -sv -Ihw/rtl/common $(tr '\n' ' ' < hw/files.f)
  hierarchy -check -top vdla_axi$parameters
  proc; flatten; opt_clean
  select -set states t:\$*ff* t:\$*latch* t:\$memwr*
  select -set wrong t:\$*latch* t:\$a*ff* t:\$dffsr*
  tee -q -o $work/all select -list @states
  tee -q -o $work/wrong select -list @states w:aclk %co1:+[CLK] %d @wrong %u"
sed 's/^vdla_axi\//not of aclk alone: /' "$work/wrong"
echo "$(wc -l < "$work/all") registers and memories, $(wc -l < "$work/wrong") of them not clocked by aclk alone"
[ ! -s "$work/wrong" ]
