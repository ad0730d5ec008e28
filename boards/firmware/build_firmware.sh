#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a program without operating system for a board: the given C, C++ and assembler files with the board's start-up
# code, the driver core and the transport over memory-mapped registers (driver/core, driver/mmio), by clang and lld.
#
#   boards/firmware/build_firmware.sh --board qemu-zynq -o hello.elf hello.c [-- FLAGS OF CLANG]
#
# --board NAME      a folder of boards/, or the path of one's own or of its board.json, with generated/board.h and
#                   generated/firmware.ld (vdla board generate makes them)
# -o FILE           the program (ELF)
# --no-driver       the files bring the driver's sources themselves
# --without-texts   messages of the driver are their numbers alone (boards/firmware/without_texts.c)
#
# Code is optimised for size over all files together (-Oz -flto).
set -eu

usage() { sed -n '3,14s/^# \{0,1\}//p' "$0"; }
fail() { echo "build_firmware.sh: error: $*" >&2; exit 1; }

root=$(cd "$(dirname "$0")/../.." && pwd)
board= out= files=0 driver=yes texts=yes
# Files go behind what is still to be looked at, so that their names may have spaces.
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    --board | -o)
      [ "$left" -gt 0 ] || fail "$word needs a word behind it, see --help"
      if [ "$word" = -o ]; then out=$1; else board=$1; fi
      shift
      left=$((left - 1))
      ;;
    --no-driver) driver=no ;;
    --without-texts) texts=no ;;
    --help) usage; exit 0 ;;
    --) break ;;
    -*) fail "flag '$word' is not known, see --help (flags of clang come behind --)" ;;
    *) set -- "$@" "$word"; files=$((files + 1)) ;;
  esac
done
[ -n "$board" ] || fail "--board is missing, see --help"
[ -n "$out" ] || fail "-o is missing: the file to write"
[ "$files" -gt 0 ] || fail "no source files are given"
for word in "$@"; do
  [ ! "$word" -ef "$out" ] || fail "-o $out: would write over $word, which is compiled; give the program another name"
done
case $board in
  *.json) facts=$(dirname "$board")/generated ;;
  */*) facts=$board/generated ;;
  *) facts=$root/boards/$board/generated ;;
esac
[ -f "$facts/firmware.ld" ] || fail "$facts/firmware.ld is missing: board '$board' runs no program without operating system, or" \
  "vdla board generate has not made its files"

# The kit's compiler, by its usual names.
for clang in "${CLANG:-}" clang-19 clang; do
  [ -n "$clang" ] && command -v "$clang" > /dev/null && break
  clang=
done
[ -n "$clang" ] || fail "clang is missing: install clang-19 and lld-19, or name it by CLANG"
command -v "$("$clang" -print-prog-name=ld.lld)" > /dev/null || fail "lld, which $clang links with, is missing: install lld-19"

kit=$root/boards/firmware
set -- "$@" "$kit/firmware.c" "$kit/interrupt.c" "$kit/standard.c"
if grep -q 'VDLA_BOARD_ZYNQMP 1' "$facts/board.h"; then
  target="--target=aarch64-none-elf -mcpu=cortex-a53"
  set -- "$@" "$kit/start_aarch64.S" "$kit/memory_aarch64.c"
else
  # Code of Arm, not of Thumb: what stands behind a simulated register understands that only.
  target="--target=armv7-none-eabihf -mcpu=cortex-a9 -mfpu=neon -mfloat-abi=hard -marm"
  set -- "$@" "$kit/start_armv7.S" "$kit/memory_armv7.c" "$kit/runtime_armv7.S"
fi
set -- "$@" "$kit/accelerator.c"
[ $driver = no ] || set -- "$@" "$root"/driver/core/*.c "$root"/driver/memory/*.c "$root"/driver/mmio/*.c
[ $texts = yes ] || set -- "$@" "$kit/without_texts.c"
# Flags stood before the files.
while [ "$left" -gt 0 ]; do
  set -- "$@" "$1"
  shift
  left=$((left - 1))
done
# Texts that without_texts.c replaces, also among the files given.
[ $texts = yes ] || left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    */driver/core/text.c | */driver/core/describe.c) ;;
    *) set -- "$@" "$word" ;;
  esac
done

# shellcheck disable=SC2086 # a list of words
exec "$clang" $target -std=c11 -Oz -flto -g -ffreestanding -fno-common -ffunction-sections -fdata-sections -fno-builtin -Wall -Wextra \
  -I "$root" -I "$facts" -nostdlib -static -fuse-ld=lld -L "$kit" -Wl,-T,"$facts/firmware.ld" -Wl,--gc-sections \
  "$@" -o "$out"
