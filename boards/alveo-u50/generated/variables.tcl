# SPDX-License-Identifier: Apache-2.0
# Made of board.json by `vdla board generate alveo-u50`: edit that file and make this one again.
set root "../../.."
set part "xcu50-fsvh2104-2-e"
set variant "wide"
set axi AXI4
set parameters {
  Batch 1 BlockIn 32 BlockOut 32 InpDepth 1024 WgtDepth 32
  AccDepth 1024 OutDepth 256 ParDepth 64 UopDepth 4096 QueueDepth 16
  TokenDepth 16 Axi3 0 GeometryHash 0x45dabc70c62cadfc ClockKhz 100000 AddressBits 64
}
