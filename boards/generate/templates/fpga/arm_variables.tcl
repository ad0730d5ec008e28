# SPDX-License-Identifier: Apache-2.0
# @BANNER@
set root "@ROOT@"
set part "@PART_NUMBER@"
set board_part "@BOARD_PART@"
set family @FAMILY@
set clock_mhz @CLOCK_MHZ@
set variant "@VARIANT@"
set axi @AXI@
set expected_bram36 @EXPECTED_BRAM36@
set parameters {
@PARAMETERS@
}
set registers_port "@REGISTERS_PORT@"
set registers_base @REGISTERS_BASE@
set registers_bytes @REGISTERS_BYTES@
set memory_port "@MEMORY_PORT@"
set memory_bits @MEMORY_BITS@
set ram_base @RAM_BASE@
set ram_bytes @RAM_BYTES@
set interrupt_port "@INTERRUPT_PORT@"
set interrupt_bit @INTERRUPT_BIT@
