#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Verilated machine of one geometry as a shared library (sim/rtl/abi.h).
# usage: build_rtl.sh --source ROOT --out LIBRARY --hash HEX [--assert] NAME=VALUE...
# NAME=VALUE are parameters of vdla_top. Environment: VERILATOR, CXX (clang++ is about twice as fast as g++).
set -euo pipefail

source_root="" out="" hash="" assert=0 parameters=()
while [ $# -gt 0 ]; do
  case "$1" in
    --source) source_root=$(cd "$2" && pwd); shift 2 ;;
    --out) out=$2; shift 2 ;;
    --hash) hash=$2; shift 2 ;;
    --assert) assert=1; shift ;;
    *=*) parameters+=("-G$1"); shift ;;
    *) echo "build_rtl.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
done
[ -n "$source_root" ] && [ -n "$out" ] && [ -n "$hash" ] || { echo "build_rtl.sh: needs --source, --out and --hash" >&2; exit 2; }

verilator=${VERILATOR:-verilator}
command -v "$verilator" >/dev/null || { echo "build_rtl.sh: no verilator; install the package 'verilator'" >&2; exit 3; }
cxx=${CXX:-}
for candidate in clang++-19 clang++ g++; do
  [ -n "$cxx" ] || cxx=$(command -v "$candidate" || true)
done
launcher=$(command -v ccache || true)

out=$(realpath -m "$out")
mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$out.build.XXXXXX")
trap 'rm -rf "$work"' EXIT

options=(--noassert)
[ "$assert" = 0 ] || options=(--assert +define+VDLA_ASSERTIONS +define+VDLA_STALLS)
(cd "$source_root" && "$verilator" --cc -O3 --x-assign fast --x-initial fast --unroll-count 4096 --unroll-stmts 200000 "${options[@]}" \
  -Wall -Wno-fatal --prefix Vvdla --top-module vdla_top --Mdir "$work" -Ihw/rtl/common "${parameters[@]}" "-GGeometryHash=64'h$hash" \
  hw/lint/waivers.vlt sim/rtl/public.vlt -f hw/files.f)

root=$("$verilator" --getenv VERILATOR_ROOT)
arch=()
case "$(uname -m)" in x86_64) arch=(-march=x86-64-v3) ;; esac
flags=(-std=c++20 -fPIC -fvisibility=hidden "${arch[@]}" -I. -I"$root/include" -I"$root/include/vltstd" -I"$source_root"
       -DVDLA_RTL_GEOMETRY_HASH="0x${hash}ull" -DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=0 -DVL_USER_FATAL -w)
objects=()
support=("$root/include/verilated.cpp")
[ ! -f "$root/include/verilated_threads.cpp" ] || support+=("$root/include/verilated_threads.cpp")
# Code that runs once need not be fast; compiling it that way takes most of the time. Compiled from inside the folder: with its name in
# the commands ccache would never have seen them.
cd "$work"
for file in *.cpp "${support[@]}" "$source_root/sim/rtl/model.cpp"; do
  level=-O3
  case "$file" in *Slow*.cpp | *Syms.cpp | */verilated*.cpp) level=-O1 ;; esac
  object=$(basename "$file" .cpp).o
  $launcher "$cxx" "${flags[@]}" $level -c "$file" -o "$object"
  objects+=("$object")
done
"$cxx" -shared -Wl,-z,defs -o "$work/library.so" "${objects[@]}" -pthread
mv "$work/library.so" "$out"
