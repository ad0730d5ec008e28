#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the tests: all of them, long suites in part (docs/verification.md, "Parts
# and wholes"), or with --quick those of the inner loop (under a minute). Real models and vectors are found through
# VDLA_DATA, a folder; tests that need it are skipped by name without it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$root/scripts/outside.sh"
. "$root/scripts/summary.sh"

select=()
case ${1:-} in
  '') ;;
  --quick) select=(-L quick) ;;
  *) say "usage: scripts/test.sh [--quick]"; exit 2 ;;
esac

minutes() { printf '%d.%d' $(($1 / 60)) $(($1 % 60 / 6)); }

# say_list TITLE: with the lines of standard input below it, if there are any.
say_list() {
  local lines
  lines=$(cat)
  [ -z "$lines" ] || say "$1:"$'\n'"$lines"
}

install_packages core test
started=$SECONDS
build_kit
built=$((SECONDS - started))

report=$build/ctest.log
started=$SECONDS
status=0
begin_outside
note_needs
(cd "$build" && ctest -j "$jobs" --output-on-failure "${select[@]}") > "$report" 2>&1 || status=$?
if [ $status != 0 ]; then
  # Output of the failed tests, then the list of them.
  grep -v -E '^ *[0-9]+/[0-9]+ Test +#.*(Passed|Skipped)|^ *Start +[0-9]+:' "$report" | tail -n 400
else
  sed -n '/^Label Time Summary/,$p' "$report"
fi
skipped_for_no_need | with_reasons | say_list "skipped${VDLA_DATA:+ although VDLA_DATA is set}"
skipped_for_a_need | with_reasons | say_list "skipped for want of a GPU or of ptxas"
in_part | say_list "in part (ctest -C Campaign -L whole runs all of it)"
over_a_minute "$root/tests/over_a_minute.txt" | say_list "more than a minute each"
say "built in $(minutes $built) minutes, tests took $(minutes $((SECONDS - started))) minutes; the whole log is ${report#"$root"/}"
end_outside || status=1
summary_line
[ "$(count ' Passed ')" != 0 ] || status=1
exit $status
