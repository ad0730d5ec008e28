#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Linux that board qemu-pci runs: Debian's cloud kernel, downloaded with its headers (40 MB) and unpacked, never installed, and
# the module vdla_uio built for it.
#
#   boards/linux/get_kernel.sh [FOLDER]
#
# FOLDER (${XDG_CACHE_HOME:-~/.cache}/vdla/linux unless given) holds vmlinuz, uio.ko and vdla_uio.ko then, or what it held before. A
# folder that is there already is only looked at; remove it to take a newer kernel. Exit status 77: nothing could be downloaded.
set -eu

case ${1-} in --help) sed -n '3,10s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
out=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/vdla/linux}
here=$(cd "$(dirname "$0")" && pwd)
fail() { echo "get_kernel.sh: error: $*" >&2; exit 1; }

sum=$(cat "$here/vdla_uio.c" "$here/Kbuild" | sha256sum | cut -d' ' -f1)
[ "$(cat "$out/made_from" 2> /dev/null)" != "$sum" ] || { echo "$out is up to date"; exit 0; }
for program in apt-get apt-cache dpkg-deb make gcc; do
  command -v $program > /dev/null || fail "$program is missing: the kernel is a package of Debian, its module is built with make and gcc"
done

mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$(dirname "$out")/.linux_XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work"
depends() { apt-cache depends "$1" | sed -n 's/^ *Depends: *//p' | grep '^linux-'; }
image=$(depends linux-image-cloud-amd64 | head -1)
headers=$(depends linux-headers-cloud-amd64 | head -1)
[ -n "$image" ] && [ -n "$headers" ] || fail "apt knows no linux-image-cloud-amd64; run apt-get update"
# shellcheck disable=SC2046 # a list of words
apt-get download -q "$image" "$headers" $(depends "$headers" | grep -v linux-compiler) 2> log || {
  cat log >&2
  echo "get_kernel.sh: error: cannot download $image" >&2
  exit 77
}
for package in *.deb; do dpkg-deb -x "$package" x; done
version=${headers#linux-headers-}
tree=$work/x/usr/src/$headers
# It names its other half by the place where it would be installed.
sed -i "s|/usr/src/|$work/x/usr/src/|" "$tree/Makefile"
mkdir module
cp "$here/vdla_uio.c" "$here/Kbuild" module
make -s -C "$tree" M="$work/module" modules > log 2>&1 || { tail -20 log >&2; fail "the module does not build for $version"; }
mkdir made
cp "x/boot/vmlinuz-$version" made/vmlinuz
cp "x/lib/modules/$version/kernel/drivers/uio/uio.ko" module/vdla_uio.ko made
strip --strip-debug made/uio.ko made/vdla_uio.ko
echo "$sum" > made/made_from
rm -rf "$out"
mv made "$out"
echo "$out: Linux $version"
