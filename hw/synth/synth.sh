#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Out-of-context synthesis of the machine for AMD parts with yosys: prints the cells that it takes.
# usage: synth.sh --source ROOT [--family xc7|xcup] [--log FILE] [--json FILE] [--around FILE] [NAME=VALUE...]
# NAME=VALUE are parameters of vdla_top; --json keeps yosys' statistics for hw/synth/table.py; --around names a source whose module
# `around` holds several machines: what they share is synthesised once.
set -euo pipefail
source_root="" log=/dev/null json="" family=xc7 around="" top=vdla_top parameters=""
while [ $# -gt 0 ]; do
  case "$1" in
    --source) source_root=$2; shift 2 ;;
    --family) family=$2; shift 2 ;;
    --log) log=$2; shift 2 ;;
    --json) json=$2; shift 2 ;;
    --around) around=$(realpath "$2"); top=around; shift 2 ;;
    *=*) parameters+=" -chparam ${1%%=*} ${1#*=}"; shift ;;
    *) echo "synth.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
done
[ -n "$source_root" ] || { echo "synth.sh: needs --source" >&2; exit 2; }
keep=""
[ -z "$json" ] || keep="tee -q -o $(realpath "$json") stat -json"
[ "$log" = /dev/null ] || log=$(realpath "$log")
cd "$source_root"
exec yosys -q -l "$log" -p "
  read_verilog -sv -Ihw/rtl/common $(tr '\n' ' ' < hw/files.f) $around
  hierarchy -check -top $top$parameters
  synth_xilinx -family $family -top $top
  check -assert
  tee -o /dev/stdout stat
  $keep"
