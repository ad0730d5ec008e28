#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How scripts/summary.sh counts: tests that ctest runs here, skipped with a label and without, failed, slow.
# usage: summary_test.sh SOURCE_ROOT
set -euo pipefail
source_root=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build=$folder report=$folder/report
. "$source_root/scripts/summary.sh"

# expect WHAT WANTED SEEN
expect() {
  [ "$2" = "$3" ] || { printf '%s: wanted\n%s\nseen\n%s\n' "$1" "$2" "$3"; exit 1; }
}

cat > "$folder/skips.sh" <<'END'
echo 'skips.cpp:7: Skipped'
echo "needs $1"
exit 77
END
cat > "$folder/CTestTestfile.cmake" <<'END'
add_test(passes true)
add_test(fails false)
add_test(skips.plain bash skips.sh data)
add_test(skips.labelled bash skips.sh "a GPU")
add_test(skips.simply bash -c "echo first; echo without a network; exit 77")
add_test("skips.bytes  # GetParam() = 136-byte object <08-00 0..." bash skips.sh "another CPU")
add_test(has.its.gpu true)
add_test(parts.a bash -c "echo 'part: Suite.A does not run, on record: all passed'")
add_test(parts.b bash -c "echo 'part: Suite.B does not run, on record: all passed'")
add_test(parts.draws bash -c "echo 'part: seeds 3 to 5 of 15'")
set_tests_properties(skips.plain skips.simply "skips.bytes  # GetParam() = 136-byte object <08-00 0..." PROPERTIES SKIP_RETURN_CODE 77 LABELS long)
set_tests_properties(skips.labelled PROPERTIES SKIP_RETURN_CODE 77 LABELS "long;needs-gpu")
set_tests_properties(has.its.gpu PROPERTIES SKIP_RETURN_CODE 77 LABELS needs-ptxas)
END
run_tests() {
  note_needs
  (cd "$folder" && ctest > "$report" 2>/dev/null) || true
}
run_tests
expect 'the line' '5 passed, 1 failed, 3 skipped, 1 without the GPU or the ptxas that they need; of those that passed 2 are on record or not drawn' "$(summary_line)"
expect 'skipped' '  skips.bytes  # GetParam() = 136-byte object <08-00 0...: needs another CPU
  skips.plain: needs data
  skips.simply: without a network' "$(skipped_for_no_need | with_reasons)"
expect 'skipped for a need' '  skips.labelled: needs a GPU' "$(skipped_for_a_need | with_reasons)"

expect 'in part' '  parts: 2 cases did not run, on record: all passed
  parts: seeds 3 to 5 of 15' "$(in_part)"

sed -i -E 's/needs-gpu/gpu/' "$folder/CTestTestfile.cmake"
run_tests
expect 'without the label' '5 passed, 1 failed, 4 skipped; of those that passed 2 are on record or not drawn' "$(summary_line)"

cat > "$report" <<'END'
  1/3 Test  #1: a.Slow/x ..........   Passed   60.01 sec
  2/3 Test  #2: a.Slower ..........***Failed  147.20 sec
  3/3 Test  #3: a.Quick ...........   Passed   60.00 sec
END
printf '# a comment: no reason\na.Slower: two reasons\na.S: one reason: two parts\na.Q: quick\n' > "$folder/reasons"
expect 'slow ones' '  147.20 s  a.Slower: two reasons
  60.01 s  a.Slow/x: one reason: two parts' "$(over_a_minute "$folder/reasons")"
: > "$folder/reasons"
expect 'slow ones without a reason' '  147.20 s  a.Slower: no reason in tests/over_a_minute.txt
  60.01 s  a.Slow/x: no reason in tests/over_a_minute.txt' "$(over_a_minute "$folder/reasons")"

# Each prefix of the list begins with the name of a test or of its program.
while IFS= read -r line; do
  case $line in '' | '#'*) continue ;; esac
  test=${line%%: *}
  [ "$test" != "$line" ] || { echo "tests/over_a_minute.txt: '$line' has no reason, needs PREFIX: REASON"; exit 1; }
  grep -r -q --include=CMakeLists.txt -E "(vdla_test\(|NAME )${test%%.*}( |\$|\.)" "$source_root/tests" "$source_root/bench" "$source_root/examples" || {
    echo "tests/over_a_minute.txt: no test begins with '$test'; take the line out, or mend its name"
    exit 1
  }
done < "$source_root/tests/over_a_minute.txt"
