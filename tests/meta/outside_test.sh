#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/outside.sh sees: a replaced device node, a file made, changed or removed; and that it sees nothing
# otherwise.
# usage: outside_test.sh SOURCE_ROOT
set -euo pipefail
source_root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{places,devices,clone,build,tmp,common}
root=$folder/clone build=$folder/build
outside_devices=$folder/devices outside_places=$folder/places outside_temporary=$folder/common  # other tests use /tmp
said() { printf '%s\n' "$*" >> "$folder/said"; }
say() { said "$@"; }
. "$source_root/scripts/outside.sh"

changed=1
[ "$(id -u)" = 0 ] || changed=0  # a user is told, no more

# expect NAME STATUS PATTERN COMMAND...: what end_outside says after the command.
expect() {
  local name=$1 wanted=$2 pattern=$3 status=0
  shift 3
  : > "$folder/said"
  (
    export TMPDIR=$folder/tmp
    begin_outside
    sleep 0.02
    "$@"
    end_outside
  ) || status=$?
  if [ $status != "$wanted" ] || { [ -n "$pattern" ] && ! grep -q -e "$pattern" "$folder/said"; }; then
    echo "$name: status $status, says:"
    cat "$folder/said"
    exit 1
  fi
  if [ -n "$(ls -A "$folder/tmp")" ]; then
    echo "$name: the scratch folder is still there"
    exit 1
  fi
}

echo old > "$folder/places/a"
expect 'nothing' 0 '' true
expect 'inside of the clone' 0 '' touch "$root/x" "$build/y"
expect 'made' $changed "  $folder/places/b" touch "$folder/places/b"
expect 'changed' $changed "  $folder/places/a" sh -c "echo new > '$folder/places/a'"
expect 'removed' $changed "  $folder/places$" rm "$folder/places/b"
expect 'left' 0 'left in the temporary folder, which was removed: one' sh -c 'touch "$TMPDIR/one"'
expect 'left in the common one' $changed "  $folder/common/vdla_x" touch "$folder/common/vdla_x"
expect 'home' 0 '' sh -c 'touch "$HOME/two"'
if mknod "$folder/devices/null" c 1 3 2>/dev/null; then
  expect 'the same node' 0 '' test -c "$folder/devices/null"
  expect 'a node replaced' 1 "  device < $folder/devices/null" sh -c "rm '$folder/devices/null'; echo x > '$folder/devices/null'"
fi
