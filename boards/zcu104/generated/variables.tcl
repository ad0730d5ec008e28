# SPDX-License-Identifier: Apache-2.0
# Made of board.json by `vdla board generate zcu104`: edit that file and make this one again.
set root "../../.."
set part "xczu7ev-ffvc1156-2-e"
set board_part "xilinx.com:zcu104:part0:1.1"
set family zynqmp
set clock_mhz 100
set variant "wide"
set axi AXI4
set expected_bram36 50
set parameters {
  Batch 1 BlockIn 32 BlockOut 32 InpDepth 1024 WgtDepth 32
  AccDepth 1024 OutDepth 256 ParDepth 64 UopDepth 4096 QueueDepth 16
  TokenDepth 16 Axi3 0 GeometryHash 0x45dabc70c62cadfc ClockKhz 100000 AddressBits 49
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
