#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A package without a GPU: a convolution with floats and with int8, a depthwise one and networks, each in several ways,
# made for the emulator and run there; then one program for CUDA, checked and timed on a library that stands for CUDA's
# driver.
# usage: dry_run.sh FOLDER-OF-PROGRAMS FOLDER-OF-THE-STAND-IN NETWORK
set -euo pipefail
bin=$1 standin=$2 network=$3
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
fail() { printf '%s\n' "dry_run.sh: $*" >&2; exit 1; }

"$bin/bench_gpu_package" "$d/emulated" --emulator --machine server --candidates 3 --only C11 --only C11-i8 --only D9 --only dqn \
  --network-candidates 2 --network "$network" --jobs 2
"$bin/bench_gpu_run" "$d/emulated" -o "$d/emulated.json" --device emulator --no-times || fail "the emulator computes something else"
for id in C11 C11-i8 dqn; do grep -q "\"id\": \"$id\"" "$d/emulated.json" || fail "no result of $id"; done

# Broken programs are named, and nothing is said of their time.
sed 's/"seed": 2\b/"seed": 3/' "$d/emulated/package.json" > "$d/wrong.json" && mv "$d/wrong.json" "$d/emulated/package.json"
if "$bin/bench_gpu_run" "$d/emulated" -o "$d/wrong.json" --device emulator --only D9; then fail "wrong weights went unseen"; fi
grep -q '"right": false' "$d/wrong.json" || fail "the report does not say what is wrong"
if grep -q '"seconds"' "$d/wrong.json"; then fail "something wrong has a time"; fi

"$bin/bench_gpu_package" "$d/cuda" --machine server --only D9
"$bin/bench_gpu_package" "$d/object" --emulator --machine server --only D9
LD_LIBRARY_PATH=$standin VDLA_STANDIN_OBJECT=$d/object/kernels/D9-c0-0.o VDLA_STANDIN_REPORT=$d/report \
  python3 "$d/cuda/measure.py" -o "$d/measured" --part ours || fail "the stand-in has other results"
# The stand-in's clock goes on by a millisecond with each launch.
grep -q '"seconds": 0.001' "$d/measured/ours.json" || fail "the time is not that of a launch: $(grep '"seconds"' "$d/measured/ours.json")"

# The best knobs become a book for layers like theirs; the row says so in words of a network of another run.
python3 - "$d/measured/ours.json" "$d/best.json" <<'EOF'
import json, sys
result = json.load(open(sys.argv[1]))
row = result["rows"][0]
row["candidates"] = [{"name": "c1", "knobs": "threads=32 elements=2 vector=1", "right": True, "seconds": 1e-6}]
row["best"], row["key"] = "c1", ""
json.dump(result, open(sys.argv[2], "w"))
EOF
"$bin/bench_gpu_book" "$d/best.json" "$network" -o "$d/book.json" | grep -q "have those that were best on" || fail "no book"
grep -q '"target": "gpu kind=cuda machine=server"' "$d/book.json" || fail "the book is for $(grep target "$d/book.json")"
grep -q '"knobs": "threads=32 elements=2 vector=1"' "$d/book.json" || fail "the book has no record"
"$bin/vdla" explain "$network" --target cuda --book "$d/book.json" | grep -q "tuned knobs, record 1: threads=32" || fail "no function has the book's knobs"

[ "$(grep -cv '^calls: ' "$d/report")" = 0 ] || fail "the driver's stand-in saw: $(cat "$d/report")"
