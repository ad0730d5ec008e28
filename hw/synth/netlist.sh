#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The flat netlist that yosys makes of a module for AMD's 7 series, as JSON: what hw/synth/timing.py and hw/synth/pnr.sh
# read. Without shift registers, which the open place and route has no wires for.
# usage: netlist.sh --source ROOT --top MODULE --json FILE [--around FILE.sv] [--pads] [NAME=VALUE...]
# NAME=VALUE are parameters of MODULE; --around reads a source that holds MODULE; --pads adds the buffers of pins and
# clocks.
set -euo pipefail
source_root="" top="" json="" around="" pads="-noiopad -noclkbuf" parameters=""
while [ $# -gt 0 ]; do
  case "$1" in
    --source) source_root=$2; shift 2 ;;
    --top) top=$2; shift 2 ;;
    --json) json=$(realpath "$2"); shift 2 ;;
    --around) around=$(realpath "$2"); shift 2 ;;
    --pads) pads=""; shift ;;
    *=*) parameters+=" -chparam ${1%%=*} ${1#*=}"; shift ;;
    *) echo "netlist.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
done
[ -n "$source_root" ] && [ -n "$top" ] && [ -n "$json" ] || { echo "netlist.sh: needs --source, --top and --json" >&2; exit 2; }
yosys=${YOSYS:-yosys}
command -v "$yosys" >/dev/null || { echo "netlist.sh: no yosys; install the package 'yosys'" >&2; exit 3; }
cd "$source_root"
# The warning about cell ports concerns yosys' own description of memory blocks.
exec "$yosys" -q -w "Resizing cell port" -p "
  read_verilog -sv -Ihw/rtl/common $(tr '\n' ' ' < hw/files.f) $around
  hierarchy -check -top $top$parameters
  synth_xilinx -family xc7 -flatten -nosrl $pads -top $top
  check -assert
  write_json $json"
