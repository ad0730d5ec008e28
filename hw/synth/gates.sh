#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The gates that yosys makes of the machine, flat, as Verilog: what sim/rtl/build_rtl.sh --build gates simulates.
# usage: gates.sh --source ROOT --out NETLIST.v [--stat FILE] [NAME=VALUE...]
# NAME=VALUE are parameters of vdla_top; --stat takes yosys' count of the cells.
set -euo pipefail
source_root="" out="" stat=/dev/null parameters=""
while [ $# -gt 0 ]; do
  case "$1" in
    --source) source_root=$2; shift 2 ;;
    --out) out=$(realpath "$2"); shift 2 ;;
    --stat) stat=$(realpath "$2"); shift 2 ;;
    *=*) parameters+=" -chparam ${1%%=*} ${1#*=}"; shift ;;
    *) echo "gates.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
done
[ -n "$source_root" ] && [ -n "$out" ] || { echo "gates.sh: needs --source and --out" >&2; exit 2; }
yosys=${YOSYS:-yosys}
command -v "$yosys" >/dev/null || { echo "gates.sh: no yosys; install the package 'yosys'" >&2; exit 3; }
# Names in the script are without spaces, as yosys wants them.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source_root"
# The steps of yosys' `synth` but for two: `share` asks a SAT solver about each pair of multipliers, for hours, and
# memories stay memories, since as registers they would be many times the rest.
"$yosys" -q -p "
  read_verilog -sv -Ihw/rtl/common $(tr '\n' ' ' < hw/files.f)
  hierarchy -check -top vdla_top$parameters
  proc; flatten; opt; wreduce; peepopt; opt_clean; alumacc; opt; memory -nomap; opt_clean
  techmap; opt -fast; abc -g AND,NAND,OR,NOR,XOR,XNOR,ANDNOT,ORNOT,MUX; opt_clean
  check -assert
  tee -q -o $work/stat stat
  write_verilog -noattr $work/gates.v"
cat "$work/stat" > "$stat"
mv "$work/gates.v" "$out"
