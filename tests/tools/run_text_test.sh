#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the RUN lines of a text test: shell commands in which %s is the file, and vdla and FileCheck are the given
# programs. Python would take half of the time of a short test to start.
# usage: run_text_test.sh VDLA FILECHECK FILE
set -uo pipefail
program=$1 filecheck=$2 file=$3
vdla() { "$program" "$@"; }
FileCheck() { "$filecheck" "$@"; }
printf -v quoted '%q' "$file"
ran=0
while IFS= read -r line; do
  ran=$((ran + 1))
  output=$(eval "${line//%s/$quoted}" 2>&1) || {
    printf '%s: exit status %s of\n%s\n%s\n' "$file" "$?" "$line" "$output"
    exit 1
  }
done < <(sed -n -E 's/^#[[:space:]]*RUN://p' "$file")
[ $ran != 0 ] || { echo "$file has no RUN line"; exit 1; }
