# SPDX-License-Identifier: Apache-2.0
# Made of board.json by `vdla board generate zcu104`: edit that file and make this one again.
# shellcheck shell=sh disable=SC2034
board=zcu104
released='vdla.bit vdla.xsa timing.txt'
builder='vivado -mode batch -source build.tcl'
