# SPDX-License-Identifier: Apache-2.0
# Runs a script for Vivado without Vivado: tclsh recording.tcl SCRIPT RECORD [KEY=VALUE ...]. Every command that Tcl
# does not have goes to the file RECORD as one JSON list a line. Properties that the script sets are given back when it
# asks for them, unless KEY=VALUE says otherwise (a tool that takes a setting and changes it); so are SLACK, STATUS,
# BOARD_PARTS, RAMB36, RAMB18, LUTRAM and GATES, what a run would have found, and VDLA, cells of the accelerator.
# CONSTANT is a pattern of pins whose nets do not change.
set ::answers [dict create SLACK 0.5 STATUS "route_design Complete!" BOARD_PARTS {} RAMB36 1000 RAMB18 0 LUTRAM 3 GATES 0 VALUE LEVEL_HIGH]
foreach word [lrange $argv 2 end] {
  set at [string first = $word]
  dict set ::answers [string range $word 0 $at-1] [string range $word $at+1 end]
}
set ::record [open [lindex $argv 1] w]
set ::set_properties [dict create]

proc json {text} {
  return "\"[string map {\\ \\\\ \" \\\" \n \\n \t \\t} $text]\""
}

proc answer {key otherwise} {
  return [expr {[dict exists $::answers $key] ? [dict get $::answers $key] : $otherwise}]
}

# The cells that a netlist would have.
proc cells {arguments} {
  foreach {pattern key} {vdla_axi VDLA RAMB36 RAMB36 RAMB18 RAMB18 LUTRAM LUTRAM BUFGCE GATES} {
    if {[string match *$pattern* $arguments]} {
      return [lrepeat [answer $key 0] cell]
    }
  }
  return {}
}

proc unknown {command args} {
  puts $::record "\[[join [lmap word [list $command {*}$args] {json $word}] {, }]\]"
  flush $::record
  switch -- $command {
    set_property {
      set pairs [expr {[lindex $args 0] eq "-dict" ? [lindex $args 1] : [lrange $args 0 1]}]
      foreach {property value} $pairs {
        dict set ::set_properties $property $value
      }
    }
    get_property {
      set property [lindex $args 0]
      return [answer $property [expr {[dict exists $::set_properties $property] ? [dict get $::set_properties $property] : ""}]]
    }
    get_board_parts { return [answer BOARD_PARTS {}] }
    get_cells { return [cells $args] }
    get_pins { return [lrange [lindex $args end] 0 0] }
    get_nets {
      set pin [lindex $args [lsearch -exact $args -of_objects]+1]
      return [expr {[string match [answer CONSTANT {}] $pin] ? {} : "net_of_[file tail $pin]"}]
    }
    get_debug_ports - get_debug_cores { return [lindex $args 0] }
    create_bd_cell { return [lindex $args end] }
    get_bd_pins - get_bd_intf_pins - get_bd_addr_spaces - get_bd_addr_segs - get_files - get_runs { return [lindex $args 0] }
    default { return $command }
  }
}

set script [lindex $argv 0]
set argv {}
set argc 0
source $script
