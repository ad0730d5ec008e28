#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds what it runs, and does the main job on the embedded digit network: compile, accuracy,
# the same bytes from all engines, cycles and utilisation per layer.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages core
build_kit vdla

vdla=$build/bin/vdla
digits=$root/examples/digits
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

classify() {
  "$vdla" eval "$work/digits.vdla" --engine "$1" --inputs "$digits/images.npy" --labels "$digits/labels.csv" --output "$work/$1.npy"
}

printf '\n== 1. Compile the trained network (ONNX QDQ int8) for the accelerator\n\n'
"$vdla" compile "$digits/digits.onnx" -o "$work/digits.vdla" --variant paper
"$vdla" explain "$work/digits.vdla"

printf '\n== 2. Classify the %s labelled test images on each engine\n\n' "$(wc -l < "$digits/labels.csv")"
classify functional
classify systemc
# The hardware takes a minute to build, so it comes after the first tables.
build_kit vdla_rtl_paper
classify rtl
for engine in systemc rtl; do
  if cmp -s "$work/functional.npy" "$work/$engine.npy"; then
    printf 'outputs of functional and %s: identical, bit for bit\n' $engine
  else
    printf 'outputs of functional and %s DIFFER\n' $engine
    exit 1
  fi
done

printf '\n== 3. Where the cycles go: the Verilated RTL, one image\n\n'
"$vdla" run "$work/digits.vdla" --engine rtl --random-input 1

cat <<TXT

Utilisation is ideal cycles (one multiply-accumulate per multiplier and cycle) over measured cycles. The digit network's layers are
tiny, so fixed costs dominate; real networks are in docs/results.md. Next: build/bin/vdla doctor, build/bin/vdla --help, and README.md.
TXT
