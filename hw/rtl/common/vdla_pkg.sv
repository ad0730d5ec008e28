// SPDX-License-Identifier: Apache-2.0
// Widths that the ISA does not name. Yosys 0.23 takes no constant of another package in here.

/* verilator lint_off UNUSED */
package vdla_pkg;
  localparam int unsigned AddrBits      = 64;                         // a byte of DRAM; base and size of a window
  localparam int unsigned InsnIndexBits = 32;                         // an instruction of the run
  localparam int unsigned BurstBits     = 9;                          // bytes of a burst, at most 256
  localparam int unsigned PageBits      = 12;                         // a byte of a page, 4 KiB: the registers; no burst leaves one
  // Bytes of a beat of the bus; a chunk of an entry is no longer.
  localparam int unsigned BeatBytes     = 8;
  localparam int unsigned BeatBits      = 8 * BeatBytes;
  localparam int unsigned ByteBits      = $clog2(BeatBytes);          // a byte of its beat
  localparam int unsigned LenBits       = 8;                          // beats of a burst, less one
  localparam int unsigned EntryByteBits = 12;                         // a byte of its entry, which has 4 KiB at most
  localparam int unsigned ChunkBits     = EntryByteBits - ByteBits;   // a chunk of its entry
  localparam int unsigned PieceLogBits  = $clog2(EntryByteBits + 1);  // log2 of the bytes of a piece, or of its chunks
  localparam int unsigned RowBits       = 5;                          // rows of the batch, at most 16
  localparam int unsigned WordBytes     = 4;                          // bytes of a register
  localparam int unsigned WordBits      = 8 * WordBytes;
  localparam int unsigned OperandBits   = 8;                          // a number of inp, wgt and out
  localparam int unsigned AccBits       = 32;                         // a number of acc and par

  // Products are written as DSPs take them: two of the gemm array in one, those of a vector lane in parts. Verilator gets
  // the plain form, which simulates faster, unless VDLA_DSP_PRODUCTS is defined.
`ifdef VDLA_DSP_PRODUCTS
  localparam logic DspProducts = 1'b1;
`elsif VERILATOR
  localparam logic DspProducts = 1'b0;
`else
  localparam logic DspProducts = 1'b1;
`endif
endpackage
/* verilator lint_on UNUSED */
