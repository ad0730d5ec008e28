#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Places and routes a module in a shell of four pins, or a whole machine, for xc7z020 with open tools and writes
# hw/synth/results/pnr/NAME.json: use, and the longest routed path of each unit. The tools are packages of Debian
# testing, downloaded and unpacked below the build folder: nothing of the system changes, no right of root is needed.
# usage: pnr.sh [--build FOLDER] [--out FOLDER] [--seed N] [--minutes N] [--again] NAME...
#        pnr.sh --list
# NAME is a variant (tiny, my_variant.json) or a module of hw/synth/timing/targets.json (lane, load, ...); `units`
# stands for all modules but gemm. --minutes ends the placer and router (default 60); --again keeps what is routed and
# analyses anew; --list shows the results, and which of them are of other RTL. Exit status: 0 written; 1 a netlist that
# routed before does not, or a delay of cells.json is not its source's; 2 wrong words; 77 the tools cannot be had, for
# the reason that is printed.
# Environment: VDLA_DEBIAN_MIRROR, an address in the place of the mirror from which this system has its own packages.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build suite=forky
packages="nextpnr-himbaechel-xilinx prjxray-database"
words=() names=()
while [ $# -gt 0 ]; do
  case "$1" in
    --build) build=$2; shift 2 ;;
    --list) exec python3 "$here/route.py" --list ;;
    --out | --seed | --minutes) words+=("$1" "$2"); shift 2 ;;
    --again) words+=("$1"); shift ;;
    -h | --help) sed -n '3,15s/^# //p' "$0"; exit 0 ;;
    -*) echo "pnr.sh: unknown argument '$1'; --help lists those that there are" >&2; exit 2 ;;
    *) names+=("$1"); shift ;;
  esac
done
[ ${#names[@]} -gt 0 ] || { echo "pnr.sh: needs a variant or a module; --help lists them" >&2; exit 2; }
skip() { echo "pnr.sh: the tools for place and route cannot be had: $1"; exit 77; }
# The mirror of a Debian system, from its own lists.
own_mirror() { apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }'; }
reason() { grep -m 1 '^E: ' "$1" || tail -1 "$1"; }

# Downloads the packages with all that they need by an apt that has its own sources and state, and unpacks them.
fetch() {
  local keys=/usr/share/keyrings/debian-archive-keyring.gpg apt=$tools/apt options mirror
  command -v apt-get > /dev/null || skip "no apt-get"
  [ -f "$keys" ] || skip "no $keys; install the package 'debian-archive-keyring'"
  mirror=${VDLA_DEBIAN_MIRROR:-$(own_mirror)}
  [ -n "$mirror" ] || skip "the lists of apt name no mirror of Debian; set VDLA_DEBIAN_MIRROR"
  rm -rf "$tools"
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$tools/root"
  touch "$apt/state/status"
  echo "deb [signed-by=$keys] $mirror $suite main" > "$apt/sources.list"
  options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferences=/dev/null
           -o Dir::Etc::preferencesparts=/dev/null -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/state/status"
           -o "Dir::Cache=$apt/cache" -o Debug::NoLocking=1 -o "APT::Sandbox::User=$(id -un)" -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
  apt-get "${options[@]}" --error-on=any update > "$apt/log" 2>&1 || skip "$(reason "$apt/log")"
  # shellcheck disable=SC2086
  apt-get "${options[@]}" -y --no-install-recommends --download-only install $packages >> "$apt/log" 2>&1 || skip "$(reason "$apt/log")"
  for package in "$apt"/cache/archives/*.deb; do
    dpkg -x "$package" "$tools/root"
    dpkg-deb -f "$package" Package Version | sed 's/^.*: //' | paste -sd ' ' >> "$tools/versions.part"
  done
  mv "$tools/versions.part" "$tools/versions"
}

mkdir -p "$build/pnr"
tools=$(cd "$build/pnr" && pwd)/tools
[ -f "$tools/versions" ] || fetch
exec python3 "$here/route.py" --tools "$tools" --work "$build/pnr" "${words[@]}" "${names[@]}"
