#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the tests: all of them, or with --quick those of the inner loop (under a minute).
# Real models and vectors are found through VDLA_DATA, a folder; tests that need it are skipped by name without it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$root/scripts/outside.sh"

select=()
case ${1:-} in
  '') ;;
  --quick) select=(-L quick) ;;
  *) say "usage: scripts/test.sh [--quick]"; exit 2 ;;
esac

minutes() { printf '%d.%d' $(($1 / 60)) $(($1 % 60 / 6)); }
# count WHAT: how many tests of the report ended so.
count() { grep -c -E "Test +#[0-9]+:.*$1" "$report" || true; }
# "  TEST: why it was skipped", as the test said it.
skipped_with_reasons() {
  awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3; why = "" }
       said { why = $0; said = 0 }
       /: Skipped$/ { said = 1 }
       /^Test Skipped\./ { print "  " name (why ? ": " why : "") }' "$build/Testing/Temporary/LastTest.log" | sort
}

install_packages core test
started=$SECONDS
build_kit
built=$((SECONDS - started))

report=$build/ctest.log
started=$SECONDS
status=0
begin_outside
(cd "$build" && ctest -j "$jobs" --output-on-failure "${select[@]}") > "$report" 2>&1 || status=$?
if [ $status != 0 ]; then
  # Output of the failed tests, then the list of them.
  grep -v -E '^ *[0-9]+/[0-9]+ Test +#.*(Passed|Skipped)|^ *Start +[0-9]+:' "$report" | tail -n 400
else
  sed -n '/^Label Time Summary/,$p' "$report"
fi
failed=$(count '\*\*\*(Failed|Timeout|Exception|Not Run)')
skipped=$(count '\*\*\*Skipped')
passed=$(count ' Passed ')
if [ "$skipped" != 0 ]; then
  say "skipped${VDLA_DATA:+ although VDLA_DATA is set}:"
  skipped_with_reasons >&2
fi
say "built in $(minutes $built) minutes, tests took $(minutes $((SECONDS - started))) minutes; the whole log is ${report#"$root"/}"
end_outside || status=1
printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
[ "$passed" != 0 ] || status=1
exit $status
