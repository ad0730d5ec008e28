#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Linux that board qemu-pci runs: Debian's cloud kernel, downloaded with its headers (40 MB) and unpacked, never
# installed, and the module vdla_uio built for it.
#
#   boards/linux/get_kernel.sh [FOLDER]
#
# FOLDER (${XDG_CACHE_HOME:-~/.cache}/vdla/linux unless given) holds vmlinuz, uio.ko and vdla_uio.ko then, or what it
# held before. One that has them for this module is only looked at; remove it to take a newer kernel. Other files there
# stay. Exit status 77: nothing could be downloaded here.
set -eu

fail() { echo "get_kernel.sh: error: $*" >&2; exit 1; }
cannot() { echo "get_kernel.sh: error: $*" >&2; exit 77; }

case ${1-} in
  --help) sed -n '3,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
  -*) fail "flag '$1' is not known, see --help" ;;
esac
[ -n "${1-}${XDG_CACHE_HOME-}${HOME-}" ] || fail "FOLDER is missing: neither XDG_CACHE_HOME nor HOME says where the cache is"
out=${1:-${XDG_CACHE_HOME:-${HOME-}/.cache}/vdla/linux}
here=$(cd "$(dirname "$0")" && pwd)

sum=$(cat "$here/vdla_uio.c" "$here/Kbuild" | sha256sum | cut -d' ' -f1)
whole=yes
for file in vmlinuz uio.ko vdla_uio.ko; do [ -e "$out/$file" ] || whole=; done
[ -z "$whole" ] || [ "$(cat "$out/made_from" 2> /dev/null)" != "$sum" ] || { echo "$out is up to date"; exit 0; }
for program in apt-get apt-cache dpkg-deb make gcc; do
  command -v $program > /dev/null || cannot "$program is missing: the kernel is a package of Debian, its module is built with make and gcc"
done

# Errors about the folder come before the download, when nothing is made yet.
at=$out
while [ ! -e "$at" ]; do at=$(dirname "$at"); done
{ [ -d "$at" ] && [ -w "$at" ]; } || fail "$at takes no files of this user: name another FOLDER"
# Work is done elsewhere: the kernel's build files take no path with spaces.
work=$(mktemp -d "${TMPDIR:-/tmp}/vdla_linux_XXXXXX")
new=
trap 'rm -rf "$work" ${new:+"$new"}' EXIT
trap 'exit 1' INT TERM HUP
case $work in *[[:space:]:]*) fail "a kernel's module cannot be built in $work: set TMPDIR to a folder without spaces and colons" ;; esac
case $out in /*) ;; *) out=$PWD/$out ;; esac
cd "$work"
# Words in English.
depends() { LC_ALL=C apt-cache depends "$1" | sed -n 's/^ *Depends: *//p' | grep '^linux-'; }
image=$(depends linux-image-cloud-amd64 | head -1)
headers=$(depends linux-headers-cloud-amd64 | head -1)
[ -n "$image" ] && [ -n "$headers" ] || cannot "apt knows no linux-image-cloud-amd64; run apt-get update"
# shellcheck disable=SC2046 # a list of words
apt-get download -q "$image" "$headers" $(depends "$headers" | grep -v linux-compiler) 2> log || {
  cat log >&2
  cannot "cannot download $image"
}
for package in *.deb; do dpkg-deb -x "$package" x; done
version=${headers#linux-headers-}
tree=$work/x/usr/src/$headers
# It names its other half by the place where it would be installed.
sed -i "s|/usr/src/|$work/x/usr/src/|" "$tree/Makefile"
mkdir module
cp "$here/vdla_uio.c" "$here/Kbuild" module
make -s -C "$tree" M="$work/module" modules > log 2>&1 || { tail -20 log >&2; fail "the module does not build for $version"; }
# Whole files, and last the one that says that they are there, whatever ends this script and if another one does the
# same.
mkdir -p "$out"
new=$(mktemp -d "$out/.new_XXXXXX")
cp "x/boot/vmlinuz-$version" "$new/vmlinuz"
cp "x/lib/modules/$version/kernel/drivers/uio/uio.ko" module/vdla_uio.ko "$new"
strip --strip-debug "$new/uio.ko" "$new/vdla_uio.ko"
echo "$sum" > "$new/made_from"
chmod go-w "$new"/*   # whatever the umask
rm -f "$out/made_from"
for file in vmlinuz uio.ko vdla_uio.ko made_from; do mv -f "$new/$file" "$out"; done
echo "$out: Linux $version"
