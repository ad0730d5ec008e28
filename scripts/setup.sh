#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by demo.sh and test.sh: installs the Debian packages that are missing, configures and builds into build/.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${VDLA_BUILD_DIR:-$root/build}
jobs=${VDLA_JOBS:-$(nproc)}

say() { printf '%s\n' "$*" >&2; }

# Prints the packages of packages.txt that dpkg does not know as installed.
missing_packages() {
  local package
  while read -r package; do
    case $package in ''|'#'*) continue ;; esac
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || printf '%s ' "$package"
  done < "$root/scripts/packages.txt"
}

install_packages() {
  local missing sudo=
  missing=$(missing_packages)
  [ -z "$missing" ] && return
  if ! command -v apt-get >/dev/null; then
    say "these packages are missing, and this is not a Debian system: $missing"
    exit 1
  fi
  if [ "$(id -u)" != 0 ]; then sudo=sudo; fi
  say "installing: $missing"
  local log
  log=$(mktemp)
  # shellcheck disable=SC2086  # one word per package
  if ! { $sudo apt-get update && $sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 \
         install -y --no-install-recommends $missing; } > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    say "installing the packages failed; the whole log is $log"
    exit 1
  fi
  rm -f "$log"
}

build_kit() {
  local log=$build/build.log
  mkdir -p "$build"
  say "configuring and building into ${build#"$root"/} with $jobs jobs (log: ${log#"$root"/})"
  if ! { cmake -S "$root" -B "$build" -G Ninja "$@" && cmake --build "$build" -j "$jobs"; } > "$log" 2>&1; then
    grep -E -A6 'error|Error|FAILED' "$log" | head -n 60 >&2 || tail -n 40 "$log" >&2
    say "the build failed; the whole log is $log"
    exit 1
  fi
}
