# SPDX-License-Identifier: Apache-2.0
# @BANNER@
# Block design "vdla": the processing system, the accelerator, an interconnect on each way, the interrupt. build.tcl
# sources this with a project open and vdla:kit:vdla_axi:1.0 in the IP catalog.

# Settings that the tools take and change without a word make a board that computes wrong data, or one whose interrupt
# never comes: what was asked for is read back.
proc vdla_need {what value needed remedy} {
  if {$value ne $needed} {
    error "$what is '$value', needs '$needed': $remedy"
  }
}

create_bd_design vdla
set ps [create_bd_cell -type ip -vlnv @PS_IP@ ps]
apply_bd_automation -rule @PS_RULE@ -config {@PS_AUTOMATION@} $ps
set_property -dict {
@PS_SETTINGS@
} $ps

set vdla [create_bd_cell -type ip -vlnv vdla:kit:vdla_axi:1.0 vdla]
set reset [create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset]
foreach name {control memory} {
  set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect $name]
}

connect_bd_intf_net [get_bd_intf_pins ps/@REGISTERS_PORT@] [get_bd_intf_pins control/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins control/M00_AXI] [get_bd_intf_pins vdla/s_axi_control]
connect_bd_intf_net [get_bd_intf_pins vdla/m_axi_gmem] [get_bd_intf_pins memory/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins memory/M00_AXI] [get_bd_intf_pins ps/@MEMORY_PORT@]

foreach pin {vdla/aclk control/aclk memory/aclk reset/slowest_sync_clk ps/@REGISTERS_CLOCK_PIN@ ps/@MEMORY_CLOCK_PIN@} {
  connect_bd_net [get_bd_pins ps/@PS_CLOCK_PIN@] [get_bd_pins $pin]
}
connect_bd_net [get_bd_pins ps/@PS_RESET_PIN@] [get_bd_pins reset/ext_reset_in]
foreach pin {vdla/aresetn control/aresetn memory/aresetn} {
  connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins $pin]
}

# Input @INTERRUPT_BIT@ of @INTERRUPT_PORT@, number @GIC_ID@ of the interrupt controller. Inputs below it are low.
set interrupts [create_bd_cell -type ip -vlnv xilinx.com:ip:xlconcat interrupts]
set_property CONFIG.NUM_PORTS [expr {@INTERRUPT_BIT@ + 1}] $interrupts
for {set bit 0} {$bit < @INTERRUPT_BIT@} {incr bit} {
  set_property CONFIG.CONST_VAL 0 [create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant low_$bit]
  connect_bd_net [get_bd_pins low_$bit/dout] [get_bd_pins interrupts/In$bit]
}
connect_bd_net [get_bd_pins vdla/interrupt] [get_bd_pins interrupts/In@INTERRUPT_BIT@]
connect_bd_net [get_bd_pins interrupts/dout] [get_bd_pins ps/@INTERRUPT_PORT@]

# The accelerator sees the CPU's memory at the CPU's addresses.
assign_bd_address -offset @REGISTERS_BASE@ -range @REGISTERS_BYTES@ -target_address_space [get_bd_addr_spaces ps/Data] \
    [get_bd_addr_segs vdla/s_axi_control/reg0] -force
assign_bd_address -offset @RAM_BASE@ -range @RAM_BYTES@ -target_address_space [get_bd_addr_spaces vdla/m_axi_gmem] \
    [get_bd_addr_segs ps/@MEMORY_SEGMENT@] -force

validate_bd_design
foreach {property needed remedy} {
@PS_CHECKS@
} {
  vdla_need $property [get_property CONFIG.$property $ps] $needed $remedy
}
save_bd_design
