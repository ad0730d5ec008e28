#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs for a board with an Arm processor, static: whatever Linux the board has.
#
#   tools/runner/build_runner.sh --cpu armv7|aarch64 [--program vdla-run|vdla-board-server] [-o FILE] [--build FOLDER]
#
# armv7 is Zynq-7000 (PYNQ-Z1, PYNQ-Z2), aarch64 Zynq UltraScale+ (Ultra96, ZCU104, KV260). vdla-run runs a module,
# vdla-board-server offers the board to desks elsewhere. FILE is PROGRAM-CPU unless given. FOLDER (build/runner-CPU of
# the source unless given) keeps what was built. Needs clang-19, lld-19, cmake, ninja and flatc of this machine,
# libstdc++-12-dev-ARCH-cross for ARCH armhf or arm64, and libsodium, fmt and, for the server, gRPC for ARCH, which are
# downloaded and unpacked into FOLDER: nothing is installed. The server needs protoc and grpc_cpp_plugin of this
# machine, too. Exit status 77: a package is missing, or could not be downloaded.
#
# example: tools/runner/build_runner.sh --cpu armv7 && scp vdla-run-armv7 xilinx@pynq:
set -eu

fail() { echo "build_runner.sh: error: $1" >&2; exit "${2:-1}"; }
value() { [ $# -ge 2 ] || fail "$1 needs a value; see --help"; printf %s "$2"; }
cpu='' out='' build='' target=vdla-run
while [ $# -gt 0 ]; do
  case $1 in
    --help) sed -n '3,15s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --cpu) cpu=$(value "$@"); shift 2 ;;
    --program) target=$(value "$@"); shift 2 ;;
    -o) out=$(value "$@"); shift 2 ;;
    --build) build=$(value "$@"); shift 2 ;;
    *) fail "there is no option $1; see --help" ;;
  esac
done
case $cpu in
  armv7) arch=armhf triple=arm-linux-gnueabihf ;;
  aarch64) arch=arm64 triple=aarch64-linux-gnu ;;
  *) fail "--cpu is '$cpu', needs armv7 or aarch64" ;;
esac
packages='' programs=''
case $target in
  vdla-run) ;;
  vdla-board-server)
    packages='libgrpc++-dev libgrpc-dev libabsl-dev libssl-dev libprotobuf-dev libre2-dev libc-ares-dev zlib1g-dev'
    programs='protoc:protobuf-compiler grpc_cpp_plugin:protobuf-compiler-grpc' ;;
  *) fail "--program is '$target', needs vdla-run or vdla-board-server" ;;
esac
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${build:-$root/build/runner-$cpu}
out=${out:-$target-$cpu}
[ -d "$(dirname "$out")" ] || fail "$out cannot be written: there is no folder $(dirname "$out")"
for program in clang-19 clang++-19:clang-19 ld.lld-19:lld-19 cmake ninja:ninja-build flatc:flatbuffers-compiler $programs; do
  command -v "${program%:*}" > /dev/null || fail "${program%:*} is missing: install ${program#*:}" 77
done
for file in "/usr/$triple/lib/libc.a" "/usr/lib/gcc-cross/$triple/12/libstdc++.a"; do
  [ -e "$file" ] || fail "$file is missing: install libstdc++-12-dev-$arch-cross" 77
done
mkdir -p "$build"
build=$(cd "$build" && pwd)

# Packages of another architecture, by lists of their own: this machine's database of packages stays as it is.
apt_for_board() {
  program=$1
  shift
  "$program" -o "APT::Architecture=$arch" -o "APT::Architectures::=$arch" -o "Dir::State=$build/apt" -o "Dir::State::status=$build/apt/status" \
    -o "Dir::Cache=$build/apt/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}
# fetch STAMP PACKAGE...: once
fetch() {
  stamp=$build/sysroot/$1
  shift
  [ ! -e "$stamp" ] || return 0
  for program in apt-get apt-cache dpkg-deb; do
    command -v $program > /dev/null || fail "$program is missing: $* for $arch are packages of Debian" 77
  done
  rm -rf "$build/apt"
  mkdir -p "$build/apt/lists/partial" "$build/apt/cache/archives/partial" "$build/apt/debs"
  : > "$build/apt/status"
  log=$build/apt/log
  apt_for_board apt-get update -q > "$log" 2>&1 || true   # one list of several may be out of date
  # Headers of fmt need its library beside them.
  fmt=$(apt_for_board apt-cache depends libfmt-dev 2>> "$log" | sed -n 's/^ *Depends: *\(libfmt[0-9]*\)$/\1/p' | head -1)
  (cd "$build/apt/debs" && [ -n "$fmt" ] && apt_for_board apt-get download -q "$@" "$fmt") >> "$log" 2>&1 || {
    tail -5 "$log" >&2
    fail "cannot download $* for $arch" 77
  }
  for package in "$build"/apt/debs/*.deb; do dpkg-deb -x "$package" "$build/sysroot"; done
  rm -rf "$build/apt"
  for library in sodium grpc++ gpr protobuf-lite ssl crypto; do rm -f "$build"/sysroot/usr/lib/*/lib$library.so; done   # archives alone
  : > "$stamp"
}
fetch made libsodium-dev libfmt-dev
# shellcheck disable=SC2086 # a list of words
[ "$target" = vdla-run ] || fetch made-server $packages

without=''
for package in LLVM GTest Protobuf JPEG PNG; do without="$without -DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"; done
# shellcheck disable=SC2086 # a list of words
if ! cmake -S "$root" -B "$build/cmake" -G Ninja "-DCMAKE_TOOLCHAIN_FILE=$root/cmake/VdlaCross.cmake" "-DVDLA_CROSS_CPU=$cpu" \
  "-DVDLA_CROSS_ROOT=$build/sysroot" -DCMAKE_BUILD_TYPE=MinSizeRel -DVDLA_UNITY=ON -DVDLA_VERILATOR=OFF -DVDLA_YOSYS=OFF $without > "$build/log" 2>&1 ||
  ! cmake --build "$build/cmake" --target "$target" >> "$build/log" 2>&1; then
  tail -30 "$build/log" >&2
  fail "$target does not build; $build/log has all of it"
fi
cp "$build/cmake/bin/$target" "$out"
echo "$out: $(wc -c < "$out") bytes, static, for $cpu"
