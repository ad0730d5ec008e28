# SPDX-License-Identifier: Apache-2.0
# Names of Vivado's IP of the processing system of Zynq UltraScale+ (PG201).
set ps_ip xilinx.com:ip:zynq_ultra_ps_e
set ps_rule xilinx.com:bd_rule:zynq_ultra_ps_e
set ps_automation {apply_board_preset "1"}
set ps_clock_pin pl_clk0
set ps_reset_pin pl_resetn0
set ps_clock_property PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ
# Properties that are 1 on every board.
set ps_always_on {PSU__FPGA_PL0_ENABLE}

# Ports for the CPU's accesses: the property that turns one on, that of its data width, its clock.
set master_ports {
  M_AXI_HPM0_FPD {PSU__USE__M_AXI_GP0 PSU__MAXIGP0__DATA_WIDTH maxihpm0_fpd_aclk}
  M_AXI_HPM1_FPD {PSU__USE__M_AXI_GP1 PSU__MAXIGP1__DATA_WIDTH maxihpm1_fpd_aclk}
  M_AXI_HPM0_LPD {PSU__USE__M_AXI_GP2 PSU__MAXIGP2__DATA_WIDTH maxihpm0_lpd_aclk}
}
# Ports to the CPU's memory: as above, and the segment of the port's address space in which DDR lies.
set slave_ports {
  S_AXI_HP0_FPD {PSU__USE__S_AXI_GP2 PSU__SAXIGP2__DATA_WIDTH saxihp0_fpd_aclk SAXIGP2/HP0_DDR_LOW}
  S_AXI_HP1_FPD {PSU__USE__S_AXI_GP3 PSU__SAXIGP3__DATA_WIDTH saxihp1_fpd_aclk SAXIGP3/HP1_DDR_LOW}
  S_AXI_HP2_FPD {PSU__USE__S_AXI_GP4 PSU__SAXIGP4__DATA_WIDTH saxihp2_fpd_aclk SAXIGP4/HP2_DDR_LOW}
  S_AXI_HP3_FPD {PSU__USE__S_AXI_GP5 PSU__SAXIGP5__DATA_WIDTH saxihp3_fpd_aclk SAXIGP5/HP3_DDR_LOW}
}
# Interrupts from the fabric: the property that turns them on.
set interrupt_ports {
  pl_ps_irq0 PSU__USE__IRQ0
  pl_ps_irq1 PSU__USE__IRQ1
}
