# SPDX-License-Identifier: Apache-2.0
# Made of board.json by `vdla board generate alveo-u50`: edit that file and make this one again.
# shellcheck shell=sh disable=SC2034
board=alveo-u50
released='vdla.xclbin'
builder='build.sh'
