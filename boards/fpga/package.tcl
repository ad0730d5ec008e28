# SPDX-License-Identifier: Apache-2.0
# Packages the accelerator with a board's variant as IP vdla:kit:vdla_axi:1.0, in build/ip of the board's folder
# (board.tcl).
#
#   VDLA_BOARD=boards/pynq-z2/generated vivado -mode batch -source boards/fpga/package.tcl
#
# The sources are those of the kit for which the folder was made, or of the folder that VDLA_ROOT names.
source [file join [file dirname [file normalize [info script]]] board.tcl]
set kit [file normalize [file join $here $root]]
if {[info exists ::env(VDLA_ROOT)]} {
  set kit [file normalize $::env(VDLA_ROOT)]
}
set list_of_sources [file join $kit hw files.f]
if {![file exists $list_of_sources]} {
  error "$list_of_sources is missing: set VDLA_ROOT to the kit's source tree or to share/vdla of an installed kit"
}

set sources {}
set channel [open $list_of_sources]
foreach line [split [read $channel] "\n"] {
  set line [string trim [regsub {//.*} $line {}]]
  if {$line ne ""} {
    lappend sources [file join $kit $line]
  }
}
close $channel

create_project -force vdla_axi [file join $out package] -part $part
add_files -norecurse $sources
set_property include_dirs [list [file join $kit hw rtl common]] [current_fileset]
add_files -fileset constrs_1 -norecurse [file join $here clock.xdc]
set_property USED_IN {synthesis implementation out_of_context} [get_files [file join $here clock.xdc]]
set_property top vdla_axi [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir [file join $out ip] -vendor vdla -library kit -taxonomy /UserIP -import_files -set_current true -force
set core [ipx::current_core]
set_property -dict [list name vdla_axi version 1.0 display_name "VDLA $variant"] $core

# Clock, reset and interrupt are inferred from attributes of hw/rtl/top/vdla_axi.v. An interrupt that is taken for an
# edge is lost when the next one comes before it is cleared.
set sensitivity [ipx::get_bus_parameters SENSITIVITY -of_objects [ipx::get_bus_interfaces interrupt -of_objects $core]]
if {[get_property VALUE $sensitivity] ne "LEVEL_HIGH"} {
  error "the packaged interrupt has sensitivity '[get_property VALUE $sensitivity]', needs LEVEL_HIGH: see the attributes of interrupt in vdla_axi.v"
}
set gmem [ipx::get_bus_interfaces m_axi_gmem -of_objects $core]
set_property value $axi [ipx::add_bus_parameter PROTOCOL $gmem]
# Signals that this bus does not have.
foreach signal [expr {$axi eq "AXI3" ? {AWREGION ARREGION} : {WID}}] {
  ipx::remove_port_map $signal $gmem
}

# Register BUILD_ID: VDLA_BUILD_ID of the environment, or the first 32 bits of the commit that the sources are of; 0:
# neither is there.
set build_id 0
if {[info exists ::env(VDLA_BUILD_ID)]} {
  set build_id $::env(VDLA_BUILD_ID)
} elseif {[file exists [file join $kit .git]] && ![catch {exec git -C $kit rev-parse HEAD} commit]} {
  set build_id 0x[string range $commit 0 7]
}

# The variant, and what registers say of this design. Modules are refused by a device with another geometry hash.
foreach {parameter value} [list BuildId $build_id {*}$parameters] {
  set_property value $value [ipx::get_user_parameters $parameter -of_objects $core]
  set_property value $value [ipx::get_hdl_parameters $parameter -of_objects $core]
}

ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project
