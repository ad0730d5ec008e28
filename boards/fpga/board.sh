# SPDX-License-Identifier: Apache-2.0
# Reads the variables of a board: of the folder `scripts` where variables.sh lies in it (`vdla board generate -o`), else
# of the folder that VDLA_BOARD names. `here` is that folder.
# shellcheck shell=sh disable=SC1091,SC2154
here=$scripts
[ -f "$here/variables.sh" ] || here=${VDLA_BOARD:-$scripts}
[ -f "$here/variables.sh" ] ||
  fail "$here/variables.sh is missing: set VDLA_BOARD to a folder that 'vdla board generate' made, as boards/pynq-z2/generated"
here=$(cd "$here" && pwd)
. "$here/variables.sh"
