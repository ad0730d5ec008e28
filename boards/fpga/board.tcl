# SPDX-License-Identifier: Apache-2.0
# Reads the variables of a board: of the folder of this script where variables.tcl lies in it (`vdla board generate -o`),
# else of the folder that VDLA_BOARD names. What is built goes into `build` of that folder.
set scripts [file dirname [file normalize [info script]]]
set here $scripts
if {![file exists [file join $here variables.tcl]] && [info exists ::env(VDLA_BOARD)]} {
  set here [file normalize $::env(VDLA_BOARD)]
}
if {![file exists [file join $here variables.tcl]]} {
  error "$here/variables.tcl is missing: set VDLA_BOARD to a folder that `vdla board generate` made, as boards/pynq-z2/generated"
}
source [file join $here variables.tcl]
set out [file join $here build]
file mkdir $out
