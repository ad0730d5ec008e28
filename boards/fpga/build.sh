#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes build/vdla.xclbin in a card's folder (board.sh): the kernel by Vivado, the rest by Vitis, which refuses what
# misses its clock.
#
#   VDLA_BOARD=boards/alveo-u50/generated boards/fpga/build.sh [hw_emu]
set -eu
fail() { echo "build.sh: error: $*" >&2; exit 1; }
scripts=$(cd "$(dirname "$0")" && pwd)
. "$scripts/board.sh"
cd "$here"
for program in vivado v++; do
  command -v "$program" > /dev/null || fail "$program is missing: source settings64.sh of Vitis"
done
VDLA_BOARD=$here vivado -mode batch -nojournal -log build.log -source "$scripts/kernel.tcl"
v++ --link --target "${1:-hw}" --config link.cfg --temp_dir build/link --output build/vdla.xclbin build/vdla_axi.xo
