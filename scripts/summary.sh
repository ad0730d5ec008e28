# SPDX-License-Identifier: Apache-2.0
# Sourced by test.sh: what the report of ctest ($report) and its log in $build say. A test with the label needs-gpu or
# needs-ptxas may be skipped on a machine that lacks it and is counted apart; every other one counts as skipped.
# note_needs comes before the run: to list tests, ctest empties its log.

# count WHAT: how many tests of the report ended so.
count() { grep -c -E "Test +#[0-9]+:.*$1" "$report" || true; }

note_needs() { (cd "$build" && ctest -N -L '^needs-(gpu|ptxas)$') | sed -n -E 's/^ *Test +#[0-9]+: //p' | sort > "$build/needs.txt"; }

# Names, one a line: of the tests that were skipped, of those among them that may not be, and that may.
skipped_tests() { sed -n -E 's/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: (.*[^ ]) +\.+\*\*\*Skipped .*/\1/p' "$report" | sort; }
skipped_for_no_need() { comm -23 <(skipped_tests) "$build/needs.txt"; }
skipped_for_a_need() { comm -12 <(skipped_tests) "$build/needs.txt"; }

# Reads names and prints "  TEST: why it was skipped", as the test said it: behind googletest's word, or else last of
# all.
with_reasons() {
  awk 'FILENAME == "-" { wanted[$0]; next }
       /^[0-9]+\/[0-9]+ Testing: / { sub(/^[^:]*: /, ""); name = $0; why = "" }
       said { why = $0; said = 0 }
       /: Skipped$/ { said = 1 }
       /^<end of output>$/ && !why { why = last }
       /^-+$/ { last = "" }
       /[^-]/ { last = $0 }
       /^Test time =/ && name in wanted { print "  " name (why ? ": " why : "") }' - "$build/Testing/Temporary/LastTest.log" | sort
}

# over_a_minute FILE: the tests that took more than 60 s, each with the reason of the first prefix in FILE that fits.
over_a_minute() {
  sed -n -E 's/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: (.*[^ ]) +\.+.* ([0-9.]+) sec.*/\2 \1/p' "$report" | sort -rn |
    awk 'FILENAME != "-" { if (!/^#/ && split($0, part, ": ") > 1) { prefix[++n] = part[1]; why[n] = substr($0, length(part[1]) + 3) } next }
         $1 > 60 {
           seconds = $1; sub(/^[^ ]* /, ""); reason = "no reason in tests/over_a_minute.txt"
           for (i = n; i > 0; --i) if (index($0, prefix[i]) == 1) reason = why[i]
           printf "  %s s  %s: %s\n", seconds, $0, reason
         }' "$1" -
}

# in_part: what tests that passed say they left out (tests/part/part.h): program, number of cases, and why.
in_part() {
  awk '/^[0-9]+\/[0-9]+ Testing: / { program = $3; sub(/\..*/, "", program) }
       sub(/^part: /, "") {
         sub(/; `ctest -C Campaign.*/, "")
         if (!sub(/^.* does not run, /, "did not run, ")) $0 = ": " $0
         ++cases[program, $0]; programs[program, $0] = program; why[program, $0] = $0
       }
       END { for (i in cases) print "  " programs[i] (why[i] ~ /^:/ ? why[i] : ": " cases[i] (cases[i] == 1 ? " case " : " cases ") why[i]) }' \
    "$build/Testing/Temporary/LastTest.log" | sort
}
not_run() { grep -c -E '^part: .* does not run, ' "$build/Testing/Temporary/LastTest.log" || true; }

# The last line of test.sh.
summary_line() {
  local apart left_out
  apart=$(skipped_for_a_need | wc -l)
  left_out=$(not_run)
  printf '%s passed, %s failed, %s skipped' "$(count ' Passed ')" "$(count '\*\*\*(Failed|Timeout|Exception|Not Run)')" "$(skipped_for_no_need | wc -l)"
  [ "$apart" = 0 ] || printf ', %s without the GPU or the ptxas that they need' "$apart"
  [ "$left_out" = 0 ] || printf '; of those that passed %s are on record or not drawn' "$left_out"
  printf '\n'
}
