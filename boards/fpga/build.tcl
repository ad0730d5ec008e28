# SPDX-License-Identifier: Apache-2.0
# Makes build/vdla.bit and build/vdla.xsa in a board's folder (board.tcl), with reports; refuses a design that does not
# reach its clock.
#
#   VDLA_BOARD=boards/pynq-z2/generated vivado -mode batch -source boards/fpga/build.tcl
source [file join [file dirname [file normalize [info script]]] package.tcl]

create_project -force vdla [file join $out project] -part $part
if {$board_part ne ""} {
  if {[lsearch -exact [get_board_parts] $board_part] < 0} {
    error "board files of $board_part are missing, which set up the board's memory and pins: install them (Vivado: Tools, Vivado Store, Boards)"
  }
  set_property board_part $board_part [current_project]
}
set_property ip_repo_paths [list [file join $out ip]] [current_project]
update_ip_catalog
source [file join $scripts design.tcl]
add_files -norecurse [make_wrapper -files [get_files vdla.bd] -top]
set_property top vdla_wrapper [current_fileset]
update_compile_order -fileset sources_1

proc run_to_its_end {run args} {
  launch_runs $run {*}$args
  wait_on_run $run
  set status [get_property STATUS [get_runs $run]]
  if {![string match *Complete* $status]} {
    error "run $run ended with '$status', needs '... Complete!': see its log"
  }
}

run_to_its_end synth_1
run_to_its_end impl_1 -to_step route_design
open_run impl_1
report_utilization -hierarchical -file [file join $out utilization.txt]
report_ram_utilization -file [file join $out memories.txt]
report_timing_summary -file [file join $out timing.txt]

# Buffers belong into block RAM. Yosys takes expected_bram36 blocks of 36 kbit for this variant (hw/synth/results);
# far fewer here, and many LUTs as memory, say that buffers became LUTs.
set blocks [llength [get_cells -hierarchical -filter {REF_NAME =~ RAMB36*}]]
set halves [llength [get_cells -hierarchical -filter {REF_NAME =~ RAMB18*}]]
set luts [llength [get_cells -hierarchical -filter {PRIMITIVE_SUBGROUP == LUTRAM || PRIMITIVE_SUBGROUP == dram}]]
puts "vdla: $blocks block RAMs of 36 kbit and $halves of 18 kbit ($expected_bram36 of 36 kbit expected), $luts LUT memories"
if {2 * $blocks + $halves < $expected_bram36} {
  puts "vdla: warning: fewer than half of the block RAMs expected: buffers became LUTs, see memories.txt"
}

# Gates in the clock, for ASICs, hold up the clock of an FPGA.
set gates [llength [get_cells -hierarchical -filter {REF_NAME =~ BUFGCE* && NAME =~ */vdla/*}]]
if {$gates != 0} {
  error "$gates clock gates are in the accelerator, needs none: a clock enable belongs at the registers"
}

foreach kind {setup hold} {
  set slack [get_property SLACK [get_timing_paths -$kind -max_paths 1 -nworst 1]]
  puts "vdla: $kind slack $slack ns at $clock_mhz MHz"
  if {$slack < 0} {
    error "timing fails: $kind slack is $slack ns, needs 0 or more (timing.txt); ask for less than $clock_mhz MHz in board.json and generate again"
  }
}

run_to_its_end impl_1 -to_step write_bitstream
write_bitstream -force [file join $out vdla.bit]
write_hw_platform -fixed -include_bit -force -file [file join $out vdla.xsa]
