#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Out-of-context synthesis of the machine for AMD parts with yosys: prints the cells that it takes.
# usage: synth.sh --source ROOT [--family xc7|xcup] [--log FILE] [--stat FILE] [--around FILE] [NAME=VALUE...]
# NAME=VALUE are parameters of vdla_top; --stat keeps yosys' statistics for hw/synth/table.py; --around names a source
# whose module `around` holds several machines: what they share is synthesised once.
set -euo pipefail
source_root="" log=/dev/null stat=/dev/null family=xc7 around="" top=vdla_top parameters=""
while [ $# -gt 0 ]; do
  case "$1" in
    --source) source_root=$2; shift 2 ;;
    --family) family=$2; shift 2 ;;
    --log) log=$2; shift 2 ;;
    --stat) stat=$(realpath "$2"); shift 2 ;;
    --around) around=$(realpath "$2"); top=around; shift 2 ;;
    *=*) parameters+=" -chparam ${1%%=*} ${1#*=}"; shift ;;
    *) echo "synth.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
done
[ -n "$source_root" ] || { echo "synth.sh: needs --source" >&2; exit 2; }
[ "$log" = /dev/null ] || log=$(realpath "$log")
cd "$source_root"
# The warning about cell ports concerns yosys' own description of memory blocks.
exec yosys -q -w "Resizing cell port" -l "$log" -p "
  read_verilog -sv -Ihw/rtl/common $(tr '\n' ' ' < hw/files.f) $around
  hierarchy -check -top $top$parameters
  synth_xilinx -family $family -top $top
  check -assert
  tee -o /dev/stdout -o $stat stat"
