#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# boards/linux/get_kernel.sh with packages that are made up here: where it puts things, what it leaves alone, what it
# says.
# usage: get_kernel_test.sh SOURCE_ROOT VDLA
set -euo pipefail
source=$(cd "$1" && pwd) vdla=$2
script=$source/boards/linux/get_kernel.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/tmp" "$folder/a b"
export TMPDIR=$folder/tmp

# fake NAME: a program that does what standard input says.
fake() { { echo '#!/bin/sh'; cat; } > "$folder/bin/$1"; chmod +x "$folder/bin/$1"; }
fake apt-cache <<'END'
case $2 in
  linux-*-cloud-amd64) word=Depends; [ "${LC_ALL-}" = C ] || word='Hängt ab von'; echo "  $word: ${2%cloud-amd64}6.1-cloud-amd64" ;;
esac
END
fake apt-get <<< 'if [ -n "${OFFLINE-}" ]; then echo "no network" >&2; exit 100; fi; : > kernel.deb'
fake dpkg-deb <<'END'
mkdir -p x/boot x/lib/modules/6.1-cloud-amd64/kernel/drivers/uio x/usr/src/linux-headers-6.1-cloud-amd64
echo kernel > x/boot/vmlinuz-6.1-cloud-amd64
echo uio > x/lib/modules/6.1-cloud-amd64/kernel/drivers/uio/uio.ko
echo 'include /usr/src/linux-headers-6.1-common/Makefile' > x/usr/src/linux-headers-6.1-cloud-amd64/Makefile
END
fake make <<< 'for word; do case $word in M=*\ *) exit 2 ;; M=*) echo ours > "${word#M=}/vdla_uio.ko" ;; esac; done'
fake strip <<< ''

# run STATUS WHAT WORDS...: the script ends so, and says WHAT.
run() {
  local status=0 wanted=$1 what=$2 said
  shift 2
  said=$(PATH=$folder/bin:$PATH "$script" "$@" 2>&1) || status=$?
  [ "$status" = "$wanted" ] && [[ $said == *$what* ]] || { echo "wanted $wanted: $what"; echo "seen $status: $said"; exit 1; }
  [ -z "$(ls "$TMPDIR")" ] || { echo "left behind: $(ls "$TMPDIR")"; exit 1; }
}
# has FOLDER FILES: these and no others.
has() { [ "$(ls -A "$1" | tr '\n' ' ')" = "$2 " ] || { echo "$1 has $(ls -A "$1")"; exit 1; }; }

kernel='made_from uio.ko vdla_uio.ko vmlinuz'
cd "$folder/a b"
run 0 "a b/linux: Linux 6.1-cloud-amd64" linux
has linux "$kernel"
run 0 'up to date' linux
rm linux/uio.ko
run 0 'Linux 6.1-cloud-amd64' linux   # one that lacks a file is none
has linux "$kernel"
echo older > linux/made_from
echo mine > linux/notes
run 0 'Linux 6.1-cloud-amd64' linux   # the kernel is made anew, and nothing else is touched
has linux "made_from notes uio.ko vdla_uio.ko vmlinuz"
XDG_CACHE_HOME="$folder/a b/cache" run 0 'a b/cache/vdla/linux: Linux'
has cache/vdla/linux "$kernel"

(umask 0; run 0 'Linux 6.1-cloud-amd64' cache/vdla/linux2)
[ -z "$(find cache/vdla/linux2 -type f -perm /022)" ] || { echo 'files that others can write'; exit 1; }

OFFLINE=1 run 77 'cannot download linux-image-6.1-cloud-amd64' other
fake apt-cache <<< ''
run 77 'apt knows no linux-image-cloud-amd64; run apt-get update' other
[ ! -e other ] || { echo 'a folder without a kernel'; exit 1; }
run 1 "flag '--kernel' is not known" --kernel
: > file
run 1 'file takes no files of this user' file/folder   # before the download, for which there is no package here

# A command that gets the kernel is interrupted while the packages come: the script's folder goes with it.
fake apt-cache <<< 'echo "  Depends: ${2%cloud-amd64}6.1-cloud-amd64"'
fake apt-get <<< ': > "$STARTED"; sleep 60'
"$vdla" compile "$source/examples/digits/digits.onnx" --target cpu -o d.vdla > said

# A file in the cache that others can write is not this user's kernel, though the folder is. In a closed folder all is.
chmod 755 "$folder"
closed= at=$folder
while [ "$at" != / ]; do [[ $(stat -c %A "$at") == d???------* ]] && closed=yes; at=$(dirname "$at"); done
for file in vmlinuz uio.ko vdla_uio.ko; do
  [ -z "$closed" ] || continue
  chmod 666 cache/vdla/linux/$file
  XDG_CACHE_HOME=$PWD/cache "$vdla" board run d.vdla --board qemu-pci --random-input 1 2> said && { echo 'a kernel of others runs'; exit 1; }
  grep -q "linux/$file is not taken for the guest's kernel: .* can be written by all users" said || { cat said; exit 1; }
  chmod 644 cache/vdla/linux/$file
done
STARTED=$PWD/started XDG_CACHE_HOME=$PWD/empty PATH=$folder/bin:$PATH "$vdla" board run d.vdla --board qemu-pci --random-input 1 2> said &
command=$!
for _ in $(seq 400); do [ -e started ] && break; sleep 0.1; done
[ -e started ] || { echo "no download began: $(cat said)"; exit 1; }
kill -TERM $command
wait $command && { echo 'an interrupted command ended well'; exit 1; }
[ -z "$(ls "$TMPDIR")" ] || { echo "left behind: $(ls "$TMPDIR")"; exit 1; }

HOME='' XDG_CACHE_HOME='' run 1 'FOLDER is missing'
mkdir "$folder/few"
for program in dirname cat sha256sum cut; do ln -s "$(command -v $program)" "$folder/few"; done
status=0
said=$(PATH=$folder/few /bin/sh "$script" other 2>&1) || status=$?
[ "$status" = 77 ] && [[ $said == *'apt-get is missing'* ]] || { echo "seen $status: $said"; exit 1; }
