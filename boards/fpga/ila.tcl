# SPDX-License-Identifier: Apache-2.0
# Puts a logic analyser (ILA) of `depth` samples on the ports `ports` of vdla_axi, with probes named as in the RTL:
# `vdla board ila` writes both variables and this text into one file, ila.tcl. Not run in Vivado yet: a recording Tcl
# shell has run it.
#
# With the project of build.tcl open, after synth_1 and before impl_1:
#   vivado build/project/vdla.xpr;  reset_run impl_1;  source ila.tcl
# Then launch_runs impl_1 -to_step write_bitstream, and write_debug_probes vdla.ltx once its run is open.
set here [file dirname [file normalize [info script]]]

if {[catch {current_design}]} {
  open_run synth_1
}
set cells [get_cells -quiet -hierarchical -filter {ORIG_REF_NAME =~ *vdla_axi* || REF_NAME =~ *vdla_axi*}]
if {[llength $cells] == 0} {
  error "the design has no cell of vdla_axi: open the synthesised design of build.tcl's project"
}
# The outermost: its pins are the ports.
set vdla [lindex [lsort $cells] 0]

# Nets at a port, bit 0 first; those that are constant have nothing to show.
proc vdla_nets {vdla port} {
  set nets {}
  foreach pin [lsort -dictionary [get_pins -quiet "$vdla/$port $vdla/$port\[*\]"]] {
    foreach net [get_nets -quiet -of_objects [get_pins $pin] -filter {TYPE != GROUND && TYPE != POWER}] {
      lappend nets $net
    }
  }
  return $nets
}

# Constraints that the core stores go into those of this file alone.
set kept [file join $here ila.xdc]
close [open $kept w]
add_files -fileset constrs_1 -norecurse $kept
set_property target_constrs_file $kept [current_fileset -constrset]

create_debug_core vdla_ila ila
set_property C_DATA_DEPTH $depth [get_debug_cores vdla_ila]
set_property C_TRIGIN_EN false [get_debug_cores vdla_ila]
set_property C_TRIGOUT_EN false [get_debug_cores vdla_ila]
set_property C_ADV_TRIGGER true [get_debug_cores vdla_ila]
set_property C_INPUT_PIPE_STAGES 1 [get_debug_cores vdla_ila]
set_property ALL_PROBE_SAME_MU_CNT 2 [get_debug_cores vdla_ila]
connect_debug_port vdla_ila/clk [vdla_nets $vdla aclk]

set probe 0
foreach port $ports {
  set nets [vdla_nets $vdla $port]
  if {[llength $nets] == 0} {
    puts "vdla: port $port is constant here, and gets no probe"
    continue
  }
  # A core comes with probe 0.
  if {$probe > 0} {
    create_debug_port vdla_ila probe
  }
  set_property PORT_WIDTH [llength $nets] [get_debug_ports vdla_ila/probe$probe]
  set_property PROBE_TYPE DATA_AND_TRIGGER [get_debug_ports vdla_ila/probe$probe]
  connect_debug_port vdla_ila/probe$probe $nets
  puts "vdla: probe$probe is $port, [llength $nets] bits"
  incr probe
}
if {$probe == 0} {
  error "no port of vdla_axi has a net that changes: is $vdla the accelerator?"
}
save_constraints -force
