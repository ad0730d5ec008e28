# SPDX-License-Identifier: Apache-2.0
# Made of board.json by `vdla board generate ultra96-v2`: edit that file and make this one again.
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
set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:zynq_ultra_ps_e ps]
apply_bd_automation -rule xilinx.com:bd_rule:zynq_ultra_ps_e -config {apply_board_preset "1"} $ps
set_property -dict {
  CONFIG.PSU__USE__M_AXI_GP0 1
  CONFIG.PSU__MAXIGP0__DATA_WIDTH 32
  CONFIG.PSU__USE__M_AXI_GP1 0
  CONFIG.PSU__USE__M_AXI_GP2 0
  CONFIG.PSU__USE__S_AXI_GP2 1
  CONFIG.PSU__SAXIGP2__DATA_WIDTH 64
  CONFIG.PSU__USE__S_AXI_GP3 0
  CONFIG.PSU__USE__S_AXI_GP4 0
  CONFIG.PSU__USE__S_AXI_GP5 0
  CONFIG.PSU__USE__IRQ0 1
  CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ 100
  CONFIG.PSU__FPGA_PL0_ENABLE 1
} $ps

set vdla [create_bd_cell -type ip -vlnv vdla:kit:vdla_axi:1.0 vdla]
set reset [create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset]
foreach name {control memory} {
  set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect $name]
}

connect_bd_intf_net [get_bd_intf_pins ps/M_AXI_HPM0_FPD] [get_bd_intf_pins control/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins control/M00_AXI] [get_bd_intf_pins vdla/s_axi_control]
connect_bd_intf_net [get_bd_intf_pins vdla/m_axi_gmem] [get_bd_intf_pins memory/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins memory/M00_AXI] [get_bd_intf_pins ps/S_AXI_HP0_FPD]

foreach pin {vdla/aclk control/aclk memory/aclk reset/slowest_sync_clk ps/maxihpm0_fpd_aclk ps/saxihp0_fpd_aclk} {
  connect_bd_net [get_bd_pins ps/pl_clk0] [get_bd_pins $pin]
}
connect_bd_net [get_bd_pins ps/pl_resetn0] [get_bd_pins reset/ext_reset_in]
foreach pin {vdla/aresetn control/aresetn memory/aresetn} {
  connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins $pin]
}

# Input 0 of pl_ps_irq0, number 121 of the interrupt controller. Inputs below it are low.
set interrupts [create_bd_cell -type ip -vlnv xilinx.com:ip:xlconcat interrupts]
set_property CONFIG.NUM_PORTS [expr {0 + 1}] $interrupts
for {set bit 0} {$bit < 0} {incr bit} {
  set_property CONFIG.CONST_VAL 0 [create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant low_$bit]
  connect_bd_net [get_bd_pins low_$bit/dout] [get_bd_pins interrupts/In$bit]
}
connect_bd_net [get_bd_pins vdla/interrupt] [get_bd_pins interrupts/In0]
connect_bd_net [get_bd_pins interrupts/dout] [get_bd_pins ps/pl_ps_irq0]

# The accelerator sees the CPU's memory at the CPU's addresses.
assign_bd_address -offset 0xa0000000 -range 0x00001000 -target_address_space [get_bd_addr_spaces ps/Data] \
    [get_bd_addr_segs vdla/s_axi_control/reg0] -force
assign_bd_address -offset 0x00000000 -range 0x80000000 -target_address_space [get_bd_addr_spaces vdla/m_axi_gmem] \
    [get_bd_addr_segs ps/SAXIGP2/HP0_DDR_LOW] -force

validate_bd_design
foreach {property needed remedy} {
  PSU__SAXIGP2__DATA_WIDTH 64 {a port of another width computes wrong data without an error}
  PSU__USE__S_AXI_GP2 1 {the accelerator has no memory}
  PSU__USE__M_AXI_GP0 1 {the CPU does not reach the registers}
  PSU__USE__IRQ0 1 {the interrupt never comes, and every run ends by slow polling}
} {
  vdla_need $property [get_property CONFIG.$property $ps] $needed $remedy
}
save_bd_design
