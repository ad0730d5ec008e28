#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by demo.sh and test.sh: installs the Debian packages that are missing, configures and builds into build/.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${VDLA_BUILD_DIR:-$root/build}
jobs=${VDLA_JOBS:-$(nproc)}

say() { printf '%s\n' "$*" >&2; }

# missing_packages LIST...: the packages of scripts/packages/LIST.txt that dpkg does not know as installed.
missing_packages() {
  local list package
  for list in "$@"; do
    while read -r package; do
      case $package in ''|'#'*) continue ;; esac
      dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || printf '%s ' "$package"
    done < "$root/scripts/packages/$list.txt"
  done
}

# install_packages LIST...: what is there already needs no rights.
install_packages() {
  local missing as_root=() log
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if ! command -v apt-get >/dev/null; then
    say "these packages are missing, and this is not a Debian system: $missing"
    exit 1
  fi
  if [ "$(id -u)" != 0 ]; then
    # Without a terminal no password can be typed.
    if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
      say "packages are missing, and installing them needs root; as root, run: apt-get install -y --no-install-recommends ${missing% }"
      exit 1
    fi
    as_root=(sudo)
  fi
  say "installing: $missing"
  log=$(mktemp)
  # shellcheck disable=SC2086  # one word per package
  if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 \
         install -y --no-install-recommends $missing; } > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    say "installing the packages failed; the whole log is $log"
    exit 1
  fi
  rm -f "$log"
}

# Reads what Ninja prints and shows how far it is: in one line on a terminal, else at each tenth.
show_progress() {
  local line done_steps steps tenth=0
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    done_steps=${BASH_REMATCH[1]} steps=${BASH_REMATCH[2]}
    if [ -t 2 ]; then
      printf '\r  %s of %s' "$done_steps" "$steps" >&2
    elif [ $((10 * done_steps / steps)) -gt $tenth ] && [ "$steps" -ge 10 ]; then
      tenth=$((10 * done_steps / steps))
      say "  $done_steps of $steps"
    fi
  done
  if [ -t 2 ] && [ -n "${steps:-}" ]; then printf '\n' >&2; fi
}

# build_kit [TARGET...]: everything without targets. A new build folder is compiled in groups of files, which takes much
# less processor time; one that was configured before stays as it is.
build_kit() {
  local log=$build/build.log status=0 options=()
  mkdir -p "$build"
  [ -f "$build/CMakeCache.txt" ] || options=(-DVDLA_UNITY=ON)
  say "building ${*:-everything} in ${build#"$root"/} with $jobs jobs (log: ${log#"$root"/})"
  { cmake -S "$root" -B "$build" -G Ninja "${options[@]}" && cmake --build "$build" -j "$jobs" ${*:+--target "$@"}; } 2>&1 \
    | tee "$log" | show_progress || status=$?
  if [ $status != 0 ]; then
    grep -E -A6 'error|Error|FAILED' "$log" | head -n 60 >&2 || tail -n 40 "$log" >&2
    say "the build failed; the whole log is $log"
    exit 1
  fi
}
