#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# boards/firmware/build_firmware.sh in folders with spaces, and what it says of what is missing.
# usage: build_firmware_test.sh SOURCE_ROOT
set -euo pipefail
source_root=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/a b" "$folder/bin"
ln -s "$source_root" "$folder/a b/the kit"
script="$folder/a b/the kit/boards/firmware/build_firmware.sh"
cd "$folder/a b"
cat > "two words.c" <<'END'
#include "other file.h"
int main(void) { return VALUE + OTHER; }
END
mkdir "more headers"
echo '#define OTHER 1' > "more headers/other file.h"

# A board of one's own, by its folder and by its board.json.
cp -r "$source_root/boards/qemu-zynq" "my board"
"$script" "two words.c" --board "./my board" -o own.elf -- -D VALUE=41 -I "more headers"
"$script" "two words.c" --board "my board/board.json" -o by_file.elf -- -D VALUE=41 -I "more headers"
cmp own.elf by_file.elf

for board in qemu-zynq qemu-zynqmp; do
  "$script" "two words.c" --board "$board" -o "$board program.elf" -- -D VALUE=41 -I "more headers"
  [ -s "$board program.elf" ]
done

# The driver's sources may be given: without_texts.c takes the place of theirs in the same way.
driver="$folder/a b/the kit/driver"
"$script" "two words.c" "$driver"/core/*.c "$driver"/memory/*.c "$driver"/mmio/*.c --board qemu-zynq --without-texts --no-driver \
  -o given.elf -- -D VALUE=41 -I "more headers"
[ -s given.elf ]

# refuses WHAT COMMAND...
refuses() {
  local what=$1 status=0 said
  shift
  said=$("$@" 2>&1) || status=$?
  [ "$status" = 1 ] && [[ $said == *"error: $what"* ]] || { echo "wanted: $what"; echo "seen $status: $said"; exit 1; }
}
refuses '--board is missing' "$script" -o x.elf x.c
refuses '--board needs a word behind it' "$script" -o x.elf x.c --board
refuses '-o is missing' "$script" --board qemu-zynq x.c
cp "two words.c" kept.c
refuses '-o ./kept.c: would write over kept.c' "$script" --board qemu-zynq -o ./kept.c kept.c
cmp "two words.c" kept.c
refuses 'no source files' "$script" --board qemu-zynq -o x.elf -- -g
refuses "flag '-g' is not known" "$script" --board qemu-zynq -o x.elf -g x.c
refuses "$folder/a b/the kit/boards/qemu-pci/generated/firmware.ld is missing: board 'qemu-pci' runs no" "$script" --board qemu-pci -o x.elf x.c
for program in dirname grep; do ln -s "$(command -v $program)" "$folder/bin"; done
refuses 'clang is missing: install clang-19 and lld-19' env PATH="$folder/bin" /bin/sh "$script" --board qemu-zynq -o x.elf x.c
printf '#!/bin/sh\necho ld.lld\n' > "$folder/bin/clang"
chmod +x "$folder/bin/clang"
refuses 'lld, which clang links with, is missing: install lld-19' env PATH="$folder/bin" /bin/sh "$script" --board qemu-zynq -o x.elf x.c
