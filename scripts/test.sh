#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the tests: all of them, or with --quick those of the inner loop (under a minute).
# Real models and vectors are found through VDLA_DATA, a folder; tests that need it are skipped by name without it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

select=()
case ${1:-} in
  '') ;;
  --quick) select=(-L quick) ;;
  *) say "usage: scripts/test.sh [--quick]"; exit 2 ;;
esac

install_packages
started=$SECONDS
build_kit
say "built in $((SECONDS - started)) s"

report=$build/ctest.log
started=$SECONDS
status=0
(cd "$build" && ctest -j "$jobs" --output-on-failure "${select[@]}") > "$report" 2>&1 || status=$?
if [ $status != 0 ]; then
  # Output of the failed tests, then the list of them.
  grep -v -E '^ *[0-9]+/[0-9]+ Test +#.*(Passed|Skipped)|^ *Start +[0-9]+:' "$report" | tail -n 400
else
  sed -n '/^Label Time Summary/,$p' "$report"
fi
failed=$(grep -c -E 'Test +#[0-9]+:.*\*\*\*(Failed|Timeout|Exception|Not Run)' "$report" || true)
skipped=$(grep -c -E 'Test +#[0-9]+:.*\*\*\*Skipped' "$report" || true)
passed=$(grep -c -E 'Test +#[0-9]+:.* Passed ' "$report" || true)
if [ "$skipped" != 0 ]; then
  say "skipped${VDLA_DATA:+ although VDLA_DATA is set}:"
  sed -n -E 's/.*Test +#[0-9]+: ([^ ]+) .*\*\*\*Skipped.*/  \1/p' "$report" | sort >&2
fi
say "tests took $((SECONDS - started)) s; the whole log is ${report#"$root"/}"
printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
[ "$passed" != 0 ] || status=1
exit $status
