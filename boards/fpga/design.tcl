# SPDX-License-Identifier: Apache-2.0
# Block design "vdla": the processing system, the accelerator, an interconnect on each way, the interrupt. build.tcl
# sources this with a board's variables, a project open and vdla:kit:vdla_axi:1.0 in the IP catalog.
source [file join [file dirname [file normalize [info script]]] board.tcl]
# Names of the family's IP.
source [file join $scripts $family.tcl]
lassign [dict get $master_ports $registers_port] registers_on _ registers_clock
lassign [dict get $slave_ports $memory_port] memory_on memory_width memory_clock memory_segment
set interrupt_on [dict get $interrupt_ports $interrupt_port]

# Settings that the tools take and change without a word make a board that computes wrong data, or one whose interrupt
# never comes: what was asked for is read back.
proc vdla_need {what value needed remedy} {
  if {$value ne $needed} {
    error "$what is '$value', needs '$needed': $remedy"
  }
}

# Settings that turn one port of a table on, with its data width, and all others off.
proc vdla_ports {ports used bits} {
  set settings {}
  dict for {port names} $ports {
    lassign $names on width
    lappend settings CONFIG.$on [expr {$port eq $used}]
    if {$port eq $used && $width ne ""} {
      lappend settings CONFIG.$width $bits
    }
  }
  return $settings
}

set settings [list {*}[vdla_ports $master_ports $registers_port 32] {*}[vdla_ports $slave_ports $memory_port $memory_bits] \
    CONFIG.$interrupt_on 1 CONFIG.$ps_clock_property $clock_mhz]
foreach property $ps_always_on {
  lappend settings CONFIG.$property 1
}

create_bd_design vdla
set ps [create_bd_cell -type ip -vlnv $ps_ip ps]
apply_bd_automation -rule $ps_rule -config $ps_automation $ps
set_property -dict $settings $ps

set vdla [create_bd_cell -type ip -vlnv vdla:kit:vdla_axi:1.0 vdla]
set reset [create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset]
foreach name {control memory} {
  set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect $name]
}

connect_bd_intf_net [get_bd_intf_pins ps/$registers_port] [get_bd_intf_pins control/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins control/M00_AXI] [get_bd_intf_pins vdla/s_axi_control]
connect_bd_intf_net [get_bd_intf_pins vdla/m_axi_gmem] [get_bd_intf_pins memory/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins memory/M00_AXI] [get_bd_intf_pins ps/$memory_port]

foreach pin "vdla/aclk control/aclk memory/aclk reset/slowest_sync_clk ps/$registers_clock ps/$memory_clock" {
  connect_bd_net [get_bd_pins ps/$ps_clock_pin] [get_bd_pins $pin]
}
connect_bd_net [get_bd_pins ps/$ps_reset_pin] [get_bd_pins reset/ext_reset_in]
foreach pin {vdla/aresetn control/aresetn memory/aresetn} {
  connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins $pin]
}

# Inputs of the interrupt port below the accelerator's are low.
set interrupts [create_bd_cell -type ip -vlnv xilinx.com:ip:xlconcat interrupts]
set_property CONFIG.NUM_PORTS [expr {$interrupt_bit + 1}] $interrupts
for {set bit 0} {$bit < $interrupt_bit} {incr bit} {
  set_property CONFIG.CONST_VAL 0 [create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant low_$bit]
  connect_bd_net [get_bd_pins low_$bit/dout] [get_bd_pins interrupts/In$bit]
}
connect_bd_net [get_bd_pins vdla/interrupt] [get_bd_pins interrupts/In$interrupt_bit]
connect_bd_net [get_bd_pins interrupts/dout] [get_bd_pins ps/$interrupt_port]

# The accelerator sees the CPU's memory at the CPU's addresses.
assign_bd_address -offset $registers_base -range $registers_bytes -target_address_space [get_bd_addr_spaces ps/Data] \
    [get_bd_addr_segs vdla/s_axi_control/reg0] -force
assign_bd_address -offset $ram_base -range $ram_bytes -target_address_space [get_bd_addr_spaces vdla/m_axi_gmem] \
    [get_bd_addr_segs ps/$memory_segment] -force

validate_bd_design
foreach {property needed remedy} [list \
    $memory_width $memory_bits {a port of another width computes wrong data without an error} \
    $memory_on 1 {the accelerator has no memory} \
    $registers_on 1 {the CPU does not reach the registers} \
    $interrupt_on 1 {the interrupt never comes, and every run ends by slow polling}] {
  vdla_need $property [get_property CONFIG.$property $ps] $needed $remedy
}
save_bd_design
