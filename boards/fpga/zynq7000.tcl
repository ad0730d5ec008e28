# SPDX-License-Identifier: Apache-2.0
# Names of Vivado's IP of the processing system of Zynq-7000 (PG082).
set ps_ip xilinx.com:ip:processing_system7
set ps_rule xilinx.com:bd_rule:processing_system7
set ps_automation {make_external "FIXED_IO, DDR" apply_board_preset "1" Master "Disable" Slave "Disable"}
set ps_clock_pin FCLK_CLK0
set ps_reset_pin FCLK_RESET0_N
set ps_clock_property PCW_FPGA0_PERIPHERAL_FREQMHZ
# Properties that are 1 on every board.
set ps_always_on {PCW_EN_CLK0_PORT PCW_EN_RST0_PORT PCW_IRQ_F2P_INTR}

# Ports for the CPU's accesses: the property that turns one on, that of its data width (none: 32 bits), its clock.
set master_ports {
  M_AXI_GP0 {PCW_USE_M_AXI_GP0 {} M_AXI_GP0_ACLK}
  M_AXI_GP1 {PCW_USE_M_AXI_GP1 {} M_AXI_GP1_ACLK}
}
# Ports to the CPU's memory: as above, and the segment of the port's address space in which DDR lies.
set slave_ports {
  S_AXI_HP0 {PCW_USE_S_AXI_HP0 PCW_S_AXI_HP0_DATA_WIDTH S_AXI_HP0_ACLK S_AXI_HP0/HP0_DDR_LOWOCM}
  S_AXI_HP1 {PCW_USE_S_AXI_HP1 PCW_S_AXI_HP1_DATA_WIDTH S_AXI_HP1_ACLK S_AXI_HP1/HP1_DDR_LOWOCM}
  S_AXI_HP2 {PCW_USE_S_AXI_HP2 PCW_S_AXI_HP2_DATA_WIDTH S_AXI_HP2_ACLK S_AXI_HP2/HP2_DDR_LOWOCM}
  S_AXI_HP3 {PCW_USE_S_AXI_HP3 PCW_S_AXI_HP3_DATA_WIDTH S_AXI_HP3_ACLK S_AXI_HP3/HP3_DDR_LOWOCM}
}
# Interrupts from the fabric: the property that turns them on.
set interrupt_ports {
  IRQ_F2P PCW_USE_FABRIC_INTERRUPT
}
