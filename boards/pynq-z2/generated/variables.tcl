# SPDX-License-Identifier: Apache-2.0
# Made of board.json by `vdla board generate pynq-z2`: edit that file and make this one again.
set root "../../.."
set part "xc7z020clg400-1"
set board_part "tul.com.tw:pynq-z2:part0:1.0"
set family zynq7000
set clock_mhz 100
set variant "1x16x8"
set axi AXI3
set expected_bram36 67
set parameters {
  Batch 1 BlockIn 16 BlockOut 8 InpDepth 2048 WgtDepth 256
  AccDepth 4096 OutDepth 1024 ParDepth 128 UopDepth 4096 QueueDepth 16
  TokenDepth 16 Axi3 1 GeometryHash 0xa49217021f812680 ClockKhz 100000 AddressBits 32
}
set registers_port "M_AXI_GP0"
set registers_base 0x43c00000
set registers_bytes 0x00001000
set memory_port "S_AXI_HP0"
set memory_bits 64
set ram_base 0x00000000
set ram_bytes 0x20000000
set interrupt_port "IRQ_F2P"
set interrupt_bit 0
