# SPDX-License-Identifier: Apache-2.0
# Sourced by test.sh: what stands outside of the clone stays as it was while the tests run. begin_outside notes how
# things are and gives the tests a home and a temporary folder of their own; end_outside removes those and prints what
# has changed among device nodes and files. Exempt are packages (they are installed before) and the compiler cache.

outside_devices=${outside_devices:-/dev}
outside_temporary=${outside_temporary:-/tmp /var/tmp}
outside_places=${outside_places:-/bin /boot /etc /lib /lib64 /opt /root /sbin /srv /usr ${HOME:-}}

# Name, type, numbers, mode and owner of each device node.
device_nodes() {
  find "$outside_devices" -xdev \( -type b -o -type c \) -exec stat -c '%n %F %t:%T %a %u:%g' {} + 2>/dev/null | sort
}

# Files and folders that were made, changed or removed (their folder says so) since begin_outside, and what tests have
# put into the common temporary folders.
changed_outside() {
  local place places=()
  for place in $outside_places; do [ -d "$place" ] && [ ! -L "$place" ] && places+=("$place"); done
  [ ${#places[@]} = 0 ] || find "${places[@]}" -xdev \( -path "$root" -o -path "$build" -o -path "$outside_ccache" -o -path "$outside_scratch" \) -prune \
    -o -newercm "$outside_scratch/stamp" -print 2>/dev/null | sort -u
  # shellcheck disable=SC2086  # one word per folder
  find $outside_temporary -maxdepth 1 -user "$(id -u)" -name '*vdla*' ! -path "$outside_scratch" -newercm "$outside_scratch/stamp" 2>/dev/null
}

begin_outside() {
  outside_scratch=$(mktemp -d "${TMPDIR:-/tmp}/vdla-tests.XXXXXX")
  outside_ccache=$( (command -v ccache >/dev/null && ccache --get-config cache_dir) || echo "$outside_scratch")
  trap 'rm -rf "$outside_scratch"' EXIT
  mkdir "$outside_scratch/tmp" "$outside_scratch/home"
  export TMPDIR=$outside_scratch/tmp HOME=$outside_scratch/home PYTHONDONTWRITEBYTECODE=1
  [ "$outside_ccache" = "$outside_scratch" ] || export CCACHE_DIR=$outside_ccache
  unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
  device_nodes > "$outside_scratch/devices"
  touch "$outside_scratch/stamp"
}

# Prints what has changed. That is a failure as root; a user may well work in the home folder meanwhile.
end_outside() {
  local changed left
  changed=$(device_nodes | diff "$outside_scratch/devices" - | sed -n 's/^[<>]/  device &/p'; changed_outside | sed 's/^/  /')
  left=$(ls -A "$outside_scratch/tmp")
  rm -rf "$outside_scratch"
  [ -z "$left" ] || say "tests left in the temporary folder, which was removed: $(echo $left)"
  [ -z "$changed" ] && return
  say "changed outside of $root while the tests ran:"
  say "$changed"
  [ "$(id -u)" != 0 ]
}
