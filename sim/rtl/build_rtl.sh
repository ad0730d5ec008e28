#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Verilated machine of one variant as a shared library (sim/rtl/abi.h).
# usage: build_rtl.sh --source ROOT --work FOLDER --hash HEX [--build KIND] NAME=VALUE...
# FOLDER is there and empty; the result is FOLDER/library.so, the caller removes the folder. KIND: fast (no assertions,
# the default), check (assertions), coverage (assertions; lines, toggles, cover points), trace (FST waveforms), axi
# (vdla_axi around the machine; assertions), gates (what yosys makes of it, without the names inside). NAME=VALUE are
# parameters of vdla_top; vdla_axi is of AXI3 for bursts of 128 bytes. Environment: VERILATOR, YOSYS, CXX (clang++ is
# about twice as fast as g++), CPU_LEVEL (of x86-64; without it what this machine has: x86-64-v3, or x86-64 where it
# lacks AVX2).
set -euo pipefail

source_root="" work="" hash="" burst=256 build=fast parameters=()
while [ $# -gt 0 ]; do
  case "$1" in
    --source) source_root=$(cd "$2" && pwd); shift 2 ;;
    --work) work=$(cd "$2" && pwd); shift 2 ;;
    --hash) hash=$2; shift 2 ;;
    --build) build=$2; shift 2 ;;
    *=*) parameters+=("$1"); [ "${1%%=*}" != BurstBytes ] || burst=${1#*=}; shift ;;
    *) echo "build_rtl.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
done
[ -n "$source_root" ] && [ -n "$work" ] && [ -n "$hash" ] || { echo "build_rtl.sh: needs --source, --work and --hash" >&2; exit 2; }
parameters+=("GeometryHash=64'h$hash")

verilator=${VERILATOR:-verilator}
command -v "$verilator" >/dev/null || { echo "build_rtl.sh: no verilator; install the package 'verilator'" >&2; exit 3; }
root=$("$verilator" --getenv VERILATOR_ROOT)
cxx=${CXX:-}
for candidate in clang++-19 clang++ g++; do
  [ -n "$cxx" ] || cxx=$(command -v "$candidate" || true)
done
launcher=$(command -v ccache || true)

# Sources for Verilator, and flags of a build; how code that runs often is compiled (that of coverage and traces is
# large, and slow in any case; what runs once is not optimised); Verilator's own sources; the libraries to link.
top=vdla_top axi=0
if [ "$build" = axi ]; then
  top=vdla_axi axi=1
  for i in "${!parameters[@]}"; do [ "${parameters[i]%%=*}" != BurstBytes ] || parameters[i]="Axi3=$((burst == 128))"; done
fi
sources=(-Wall -Ihw/rtl/common "${parameters[@]/#/-G}" hw/lint/waivers.vlt sim/rtl/public.vlt -f hw/files.f)
checking=(--assert +define+VDLA_ASSERTIONS +define+VDLA_STALLS)
# State without a value of its own starts with one that vdla_rtl_create() is asked for; that takes a fifth of the speed,
# so `fast` has 0.
unset=unique
coverage=0 trace=0 often=-O3 support=("$root/include/verilated.cpp") libraries=()
case "$build" in
  fast) options=(--noassert) unset=fast ;;
  check | axi) options=("${checking[@]}") ;;
  coverage)
    # Toggles are counted by sim/rtl/toggles.h, which needs the nets in the open; loops stay loops: speed does not
    # matter.
    options=("${checking[@]}" +define+VDLA_COVERAGE --coverage-line --coverage-user --public-flat-rw --unroll-count 64 --unroll-stmts 30000)
    coverage=1 often=-O1
    support+=("$root/include/verilated_cov.cpp") ;;
  trace)
    options=(--noassert --trace-fst --trace-structs)
    trace=1 often=-O1
    support+=("$root/include/verilated_fst_c.cpp")
    libraries=(-lz) ;;
  gates)
    sources=(-Wno-lint -Wno-style "$work/gates.v")
    options=(--noassert --output-split 20000)
    often=-O1 ;;
  *) echo "build_rtl.sh: unknown build '$build', needs fast, check, coverage, trace, axi or gates" >&2; exit 2 ;;
esac
[ ! -f "$root/include/verilated_threads.cpp" ] || support+=("$root/include/verilated_threads.cpp")

# SIGTERM says that the caller was killed: nothing of this goes on, and no other process is left to remove the folder.
# Tools run in the background, since bash would wait for one in the foreground first; all are in this shell's process
# group.
stop() { trap '' TERM; kill -TERM -- "-$$" 2>/dev/null || kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"; exit 143; }
trap stop TERM

if [ "$build" = gates ]; then
  "$source_root/hw/synth/gates.sh" --source "$source_root" --out "$work/gates.v" "${parameters[@]}" &
  wait $!
fi
(cd "$source_root" && exec "$verilator" --cc -f hw/verilator.f --x-assign "$unset" --x-initial "$unset" --unroll-count 4096 --unroll-stmts 200000 "${options[@]}" \
  -Wno-fatal -Werror-USERERROR --prefix Vvdla --top-module "$top" --Mdir "$work" "${sources[@]}") &
wait $!

# Code for this machine: AVX2 makes it half as fast again. The linker notes the level, so that no other CPU runs into
# it.
arch=() note=()
if [ "$(uname -m)" = x86_64 ]; then
  level=${CPU_LEVEL:-x86-64-v3}
  for flag in avx2 bmi1 bmi2 fma movbe; do
    [ -n "${CPU_LEVEL:-}" ] || grep -q -m1 "^flags.* $flag\( \|$\)" /proc/cpuinfo || level=x86-64
  done
  arch=(-march="$level")
  [ "$level" = x86-64 ] || note=(-Wl,-z,"$level")
fi
# Files are named from inside of the folder, whose name is another each time: the compiler cache would not know them.
cd "$work"
cp "$source_root/sim/rtl/model.cpp" .
flags=(-std=c++20 -fPIC -fvisibility=hidden "${arch[@]}" -I. -I"$root/include" -I"$root/include/vltstd" -I"$source_root"
       -DVDLA_RTL_GEOMETRY_HASH="0x${hash}ull" -DVDLA_RTL_BURST_BYTES="$burst" -DVDLA_RTL_AXI=$axi -DVM_COVERAGE=$coverage -DVM_SC=0 -DVM_TRACE=$trace -DVM_TRACE_FST=$trace -DVL_USER_FATAL -w)
# Most files are small, and Verilator's headers take longer than they do: those of the same optimisation are compiled in
# groups of about a megabyte, two groups at a time. What runs often is linked first: of a function that both have, the
# linker takes the first.
declare -A open=() bytes=()
often_units=() once_units=()
add_to_group() {  # add_to_group often|once FILE
  local -n units=$1_units
  local size
  size=$(stat -L -c %s "$2")
  if [ -z "${open[$1]:-}" ] || [ $((bytes[$1] + size)) -gt 1000000 ]; then
    open[$1]=$1_${#units[@]}.cpp bytes[$1]=0
    units+=("${open[$1]}")
  fi
  bytes[$1]=$((bytes[$1] + size))
  printf '#include "%s"\n' "$2" >> "${open[$1]}"
}
for file in "${support[@]}" *.cpp; do
  case "$file" in
    */verilated_fst_c.cpp) once_units+=("$file") ;;
    *Slow*.cpp | *Syms.cpp | */verilated*.cpp) add_to_group once "$file" ;;
    *) add_to_group often "$file" ;;
  esac
done
jobs=() objects=()
for file in "${often_units[@]}" "${once_units[@]}"; do
  opt=$often before=() objects+=("$(basename "$file" .cpp).o")
  case "$file" in once_*.cpp | */verilated_fst_c.cpp) opt=-O0 ;; esac
  case "$file" in */verilated_fst_c.cpp) before=(-include "$source_root/sim/rtl/fst_io.h") ;; esac
  [ ${#jobs[@]} -lt 2 ] || wait "${jobs[-2]}"
  $launcher "$cxx" "${flags[@]}" "${before[@]}" "$opt" -c "$file" -o "${objects[-1]}" &
  jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job"; done
"$cxx" -shared -Wl,-z,defs "${note[@]}" -o library.so "${objects[@]}" -pthread "${libraries[@]}" &
wait $!
