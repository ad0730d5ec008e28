#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the formal proofs of the hardware: prove.sh [NAME...] [--source DIR] [--list] [--help]. See prove.py.
exec python3 "$(dirname "$0")/prove.py" "$@"
