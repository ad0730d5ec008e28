# SPDX-License-Identifier: Apache-2.0
# Made of board.json by `vdla board generate ultra96-v2`: edit that file and make this one again.
set root "../../.."
set part "xczu3eg-sbva484-1-i"
set board_part "avnet.com:ultra96v2:part0:1.2"
set family zynqmp
set clock_mhz 100
set variant "paper"
set axi AXI4
set expected_bram36 85
set parameters {
  Batch 1 BlockIn 16 BlockOut 16 InpDepth 2048 WgtDepth 128
  AccDepth 2048 OutDepth 512 ParDepth 128 UopDepth 4096 QueueDepth 16
  TokenDepth 16 Axi3 0 GeometryHash 0x62816403c7f2a11d ClockKhz 100000 AddressBits 49
}
set registers_port "M_AXI_HPM0_FPD"
set registers_base 0xa0000000
set registers_bytes 0x00001000
set memory_port "S_AXI_HP0_FPD"
set memory_bits 64
set ram_base 0x00000000
set ram_bytes 0x80000000
set interrupt_port "pl_ps_irq0"
set interrupt_bit 0
