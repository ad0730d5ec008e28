#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks a change before it is committed: the format of its lines, the lints of the tree, and, in a configured build
# folder, clang-tidy on its lines and the quick tests of the folders that changed, which it builds. A change is what
# differs from COMMIT: from HEAD unless given, or from the commit before where nothing differs from HEAD. --fix formats
# the lines. --only tidy is clang-tidy alone, on at most four sources and headers, drawn by what differs: CI runs that
# (meta.tidy), and the format and the lints of the whole tree.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$root"

usage() { say "usage: scripts/check.sh [--fix | --only tidy] [COMMIT]"; exit 2; }

fix='' since='' only=''
while [ $# -gt 0 ]; do
  case $1 in
    --fix) fix=yes ;;
    --only) [ "${2:-}" = tidy ] || usage; only=tidy; shift ;;
    -*) usage ;;
    *) since=$1 ;;
  esac
  shift
done
if [ -z "$since" ]; then
  since=HEAD
  [ -n "$(git status --porcelain)" ] || since=HEAD~1
fi
left_out=77  # for ctest: the check was skipped
if ! git rev-parse --verify --quiet "$since^{commit}" > /dev/null; then
  say "'$since' is no commit of this repository"
  exit $([ -z "$only" ] && echo 2 || echo $left_out)
fi

status=0
fails() { say "$*"; status=1; }

new_files() { git ls-files --others --exclude-standard; }
changed_files() { { git diff --name-only "$since"; new_files; } | sort -u; }

# format_lines ARGUMENTS: those of git clang-format; what is wrong with its call ends the script.
format_lines() {
  local result=0
  git-clang-format-19 --binary clang-format-19 --extensions c,cpp,h --quiet "$@" "$since" || result=$?
  [ $result -le 1 ] || { say "git-clang-format-19 failed"; exit 3; }  # 1: there are such lines
}

check_format() {
  local new=() differences
  if ! command -v git-clang-format-19 > /dev/null; then
    say "format: left out, because package clang-format-19 is not installed"
    return
  fi
  readarray -t new < <(new_files | grep -E '\.(c|cpp|h)$')
  if [ -n "$fix" ]; then
    format_lines --force > /dev/null
    [ ${#new[@]} = 0 ] || clang-format-19 -i "${new[@]}"
    return
  fi
  differences=$(format_lines --diff)
  [ ${#new[@]} = 0 ] || differences+=$(clang-format-19 --dry-run --Werror "${new[@]}" 2>&1 || true)
  [ -z "$differences" ] || fails "$differences"$'\n'"format: scripts/check.sh --fix changes these lines"
}

check_lints() {
  local lint name
  for lint in tools/lint/check_*.py; do
    name=$(basename "$lint" .py)
    # Three look at a build folder (meta.alone, .unity, .installed), and check_format() looks at the changed lines.
    case $name in check_alone | check_unity | check_installed | check_format) continue ;; esac
    lint=$(python3 "$lint" "$root") || fails "$name:"$'\n'"$lint"
  done
}

# Looks at changed sources, and at changed headers through them.
check_tidy() {
  local new=() changed=() diagnostics=''
  if ! command -v clang-tidy-diff-19.py > /dev/null; then
    say "clang-tidy: left out, because package clang-tidy-19 is not installed"
    [ -z "$only" ] || exit $left_out
    return
  fi
  [ -f "$build/compile_commands.json" ] || return 0
  # Sources of tests have definitions that clang-tidy, which sees one file at a time, does not find.
  readarray -t new < <(new_files | grep -E '\.cpp$' | grep -v '^tests/' | scripts/compiled.py "$build" "$build/tidy")
  readarray -t changed < <(git diff --name-only --diff-filter=d "$since" -- '*.cpp' '*.h' ':!tests' |
    scripts/compiled.py "$build" "$build/tidy")
  [ -z "$only" ] || [ ${#changed[@]} = 0 ] || readarray -t changed < <(printf '%s\n' "${changed[@]}" | shuf -n 4 --random-source=<(git diff "$since"; yes))
  [ ${#changed[@]} = 0 ] || diagnostics=$(git diff -U0 "$since" -- "${changed[@]}" |
    clang-tidy-diff-19.py -clang-tidy-binary clang-tidy-19 -p1 -path "$build/tidy" -j "$jobs" -quiet 2> /dev/null | grep -A4 -E 'warning: |error: ' || true)
  [ ${#new[@]} = 0 ] || diagnostics+=$(clang-tidy-19 -p "$build/tidy" --quiet "${new[@]}" 2> /dev/null | grep -A4 -E 'warning: |error: ' || true)
  [ -z "$diagnostics" ] || fails "$diagnostics"$'\n'"clang-tidy: .clang-tidy has the checks; // NOLINT(check) with a reason beside it switches one off"
}

check_tests() {
  local programs=() names
  if [ ! -f "$build/build.ninja" ]; then
    say "tests: left out, because ${build#"$root"/} is not configured; VDLA_BUILD_DIR=FOLDER names another build folder"
    return
  fi
  readarray -t programs < <(changed_files | scripts/tests_of.py "$root" programs)
  # A machine without a library has no program that needs it.
  readarray -t programs < <(printf '%s\n' "${programs[@]}" | grep -F -x -f <(ninja -C "$build" -t targets all | sed -n 's/: phony$//p'))
  names=$(changed_files | scripts/tests_of.py "$root" names | paste -sd '|')
  [ -n "$names" ] || { say "tests: no folder that changed has any"; return; }
  say "tests: ${names//|/, }"
  if [ ${#programs[@]} != 0 ] && ! cmake --build "$build" -j "$jobs" --target "${programs[@]}" > "$build/check.log" 2>&1; then
    fails "$(grep -E -A6 'error|FAILED' "$build/check.log" | head -n 40)"$'\n'"the build failed; the whole log is $build/check.log"
    return
  fi
  (cd "$build" && ctest -j "$jobs" -L quick -R "^(${names//./\\.})" --output-on-failure --no-tests=ignore) > "$build/check.log" 2>&1 ||
    fails "$(grep -v -E ' Passed | Start +[0-9]+:' "$build/check.log" | tail -n 100)"
  grep 'tests passed' "$build/check.log" >&2 || true
}

if [ -n "$only" ]; then
  check_tidy
  exit $status
fi
check_format
check_lints
check_tidy
check_tests
[ $status != 0 ] || say "checked $(changed_files | wc -l) changed files in $SECONDS s"
exit $status
