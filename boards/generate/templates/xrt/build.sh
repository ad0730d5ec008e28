#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# @BANNER@
# Makes build/vdla.xclbin beside this file: the kernel by Vivado, the rest by Vitis, which refuses what misses its
# clock.
set -eu
cd "$(dirname "$0")"
for program in vivado v++; do
  command -v "$program" > /dev/null || { echo "build.sh: error: $program is missing: source settings64.sh of Vitis" >&2; exit 1; }
done
vivado -mode batch -nojournal -log build.log -source kernel.tcl
v++ --link --target "${1:-hw}" --config link.cfg --temp_dir build/link --output build/vdla.xclbin build/vdla_axi.xo
