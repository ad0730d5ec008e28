#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a folder of what was built in a board's folder (board.sh) and measured, for people without the tools:
# `vdla board install FOLDER` takes it.
#
#   VDLA_BOARD=boards/pynq-z2/generated boards/fpga/release.sh --selftest FILE --clock-mhz NUMBER -o FOLDER
#
# --selftest FILE     what `vdla board selftest --uio vdla --variant variant.json --json` printed on the board, with this
#                     bitstream; of a card --xrt 0:vdla.xclbin
# --clock-mhz NUMBER  the accelerator's clock as it was measured on the board
set -eu
fail() { echo "release.sh: error: $*" >&2; exit 1; }

scripts=$(cd "$(dirname "$0")" && pwd)
. "$scripts/board.sh"
selftest='' clock='' out=''
while [ $# -gt 0 ]; do
  case $1 in
    --selftest) selftest=${2-} ;;
    --clock-mhz) clock=${2-} ;;
    -o) out=${2-} ;;
    *) fail "flag '$1' is not known, needs --selftest FILE, --clock-mhz NUMBER, -o FOLDER" ;;
  esac
  [ $# -gt 1 ] || fail "$1 needs a value"
  shift 2
done
[ -n "$selftest" ] || fail "--selftest is missing: what vdla board selftest --json printed on the board"
[ -n "$clock" ] || fail "--clock-mhz is missing: the clock as it was measured"
case $clock in
  *[!0-9.]* | .* | *. | *.*.* | 0[0-9]*) fail "--clock-mhz is '$clock', needs a number of MHz, as 100 or 99.8" ;;
esac
[ -n "$out" ] || fail "-o is missing: the folder to make"
[ ! -e "$out" ] || fail "$out is there already"
[ -f "$selftest" ] || fail "$selftest is missing: what vdla board selftest --json printed on the board"
overlay=
[ ! -f "$here/overlay.dtso" ] || overlay=dtc # of boards whose processor reads a device tree
for program in $overlay sha256sum; do
  command -v "$program" > /dev/null || fail "$program is missing, which a release is made with"
done

for file in $released; do
  [ -f "$here/build/$file" ] || fail "$here/build/$file is missing: run $builder first"
done

mkdir -p "$out"
cp "$selftest" "$out/selftest.json"
cp "$here/variant.json" "$out/variant.json"
for file in $released; do
  cp "$here/build/$file" "$out/$file"
done
[ -z "$overlay" ] || dtc -@ -q -i "$scripts/../linux" -I dts -O dtb -o "$out/vdla.dtbo" "$here/overlay.dtso"
{
  printf '{\n  "board": "%s",\n  "clock_mhz": %s,\n  "files": {' "$board" "$clock"
  separator=''
  for file in "$out"/*; do
    printf '%s\n    "%s": "%s"' "$separator" "$(basename "$file")" "$(sha256sum < "$file" | cut -d' ' -f1)"
    separator=,
  done
  printf '\n  }\n}\n'
} > "$out.json"
mv "$out.json" "$out/release.json"
echo "$out"
