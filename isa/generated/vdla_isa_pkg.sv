// SPDX-License-Identifier: Apache-2.0
// The instruction set and register map as constants. Use names as vdla_isa_pkg::x.
// Generated from isa/spec by vdla-isagen; do not edit.

/* verilator lint_off UNUSED */
package vdla_isa_pkg;
  localparam logic [31:0] IsaVersion = 32'd3;
  localparam logic [31:0] Magic      = 32'h414c4456;

  localparam int unsigned InsnBits = 512;
  localparam int unsigned InsnBytes = 64;
  localparam int unsigned UopBits = 64;
  localparam int unsigned UopBytes = 8;
  localparam int unsigned IndexBits = 16;
  localparam int unsigned Levels = 5;
  localparam int unsigned LevelBits = 64;
  localparam int unsigned QueueUnits = 4;
  localparam int unsigned ReduceUopBit = 5;
  localparam int unsigned Windows = 8;
  localparam int unsigned AccBanks = 2;
  localparam int unsigned InflightDepth = 16;

  // opcode
  localparam int unsigned OpcodeBits = 4;
  localparam logic [3:0] OpcodeLoad = 4'd1;  // moves a pattern of byte runs from a DRAM window into a buffer, with padding
  localparam logic [3:0] OpcodeStore = 4'd2;  // moves entries of the out buffer to a DRAM window
  localparam logic [3:0] OpcodeGemm = 4'd3;  // an affine nest of matrix-vector steps
  localparam logic [3:0] OpcodeVector = 4'd4;  // an affine nest of element-wise steps
  localparam logic [3:0] OpcodeFinish = 4'd5;  // waits until every unit is idle, then raises done with a sequence number

  // unit
  localparam int unsigned UnitBits = 3;
  localparam logic [2:0] UnitLoad = 3'd0;  // DRAM to SRAM
  localparam logic [2:0] UnitGemm = 3'd1;  // matrix products into the accumulators
  localparam logic [2:0] UnitVector = 3'd2;  // requantise, add, pool, depthwise, per element
  localparam logic [2:0] UnitStore = 3'd3;  // out buffer to DRAM
  localparam logic [2:0] UnitFetch = 3'd4;  // reads, checks and dispatches instructions

  // buffer
  localparam int unsigned BufferBits = 4;
  localparam logic [3:0] BufferInp = 4'd0;  // activations, B x K int8; written by load and vector, read by gemm and vector
  localparam logic [3:0] BufferWgt = 4'd1;  // weights, N x K int8, row n is output channel n; written by load, read by gemm
  localparam logic [3:0] BufferAcc = 4'd2;  // register file of accumulators, B x N int32; written and read by gemm and vector
  localparam logic [3:0] BufferOut = 4'd3;  // results and residual operands, B x N int8; written by vector and load, read by vector and store
  localparam logic [3:0] BufferPar = 4'd4;  // per-channel parameters, N int32, same for each row of the batch; written by load, read by vector
  localparam logic [3:0] BufferUop = 4'd5;  // micro-ops of gemm, 8 bytes; written by load, read by gemm

  // window
  localparam int unsigned WindowBits = 4;
  localparam logic [3:0] WindowInsn = 4'd0;  // the instruction stream
  localparam logic [3:0] WindowUop = 4'd1;  // micro-ops, written by the runtime
  localparam logic [3:0] WindowConst = 4'd2;  // weights and parameters
  localparam logic [3:0] WindowAct = 4'd3;  // intermediate activations
  localparam logic [3:0] WindowInput = 4'd4;  // inputs of the network
  localparam logic [3:0] WindowOutput = 4'd5;  // outputs of the network
  localparam logic [3:0] WindowSpare0 = 4'd6;  // free for the driver
  localparam logic [3:0] WindowSpare1 = 4'd7;  // free for the driver

  // vector_op
  localparam int unsigned VectorOpBits = 4;
  localparam logic [3:0] VectorOpScale = 4'd0;  // v = round_shift_right(srdh_mul((x + par[b][n]) << par[b+2][n][4:0], par[b+1][n]), par[b+2][n][12:8]); first ? v : c + v; requantises: bias, multiplier and shifts of each channel
  localparam logic [3:0] VectorOpMac = 4'd1;  // v = x * p; first ? v : c + v; p absent: 1
  localparam logic [3:0] VectorOpAdd = 4'd2;  // v = x + p; first ? v : c + v; p absent: 0
  localparam logic [3:0] VectorOpMax = 4'd3;  // v = x; first ? max(x, p) : max(c, v); p absent: first gives v
  localparam logic [3:0] VectorOpMin = 4'd4;  // v = x; first ? min(x, p) : min(c, v); p absent: first gives v
  localparam logic [3:0] VectorOpAvg = 4'd5;  // v = (x < 0) ? (0 - q) : q, q = i32(u32((u64(u32(|x|) + half) * unsigned(imm)) >> shift)); division with halves away from zero
  localparam logic [3:0] VectorOpHsum = 4'd6;  // v = x * p; first ? v : c + v; p absent: 1; x = (sum over k of inp[a][k]) + a_offset for every n; corrects for a weight zero point

  // vector_b
  localparam int unsigned VectorBBits = 2;
  localparam logic [1:0] VectorBNone = 2'd0;  // absent: each operation says what p is then
  localparam logic [1:0] VectorBPar = 2'd1;  // par[b][n]
  localparam logic [1:0] VectorBImm = 2'd2;  // the immediate, sign-extended

  // error
  localparam int unsigned ErrorBits = 4;
  localparam logic [3:0] ErrorNone = 4'd0;  // no error
  localparam logic [3:0] ErrorIllegalInsn = 4'd1;  // an instruction breaks a rule of the ISA; ERROR_ADDR: the rule's number
  localparam logic [3:0] ErrorWindow = 4'd2;  // a DRAM access leaves its window; ERROR_ADDR: the byte offset
  localparam logic [3:0] ErrorSramBounds = 4'd3;  // an SRAM index is beyond its buffer; ERROR_ADDR: the index
  localparam logic [3:0] ErrorBusRead = 4'd4;  // the memory answered a read with an error; ERROR_ADDR: the address
  localparam logic [3:0] ErrorBusWrite = 4'd5;  // the memory answered a write with an error; ERROR_ADDR: the address
  localparam logic [3:0] ErrorStall = 4'd6;  // no unit made progress for STALL_LIMIT cycles; ERROR_UNIT: fetch; the INSN, STATE and SINCE registers tell who waits for what
  localparam logic [3:0] ErrorNoFinish = 4'd7;  // INSN_COUNT instructions were fetched and the last one was not finish
  localparam logic [3:0] ErrorMisaligned = 4'd8;  // the base of window insn plus INSN_OFFSET is not a multiple of 64; ERROR_ADDR: the sum

  // load and store: lowest bit and width of each field
  localparam int unsigned MemoryOpcodeLsb = 0;
  localparam int unsigned MemoryOpcodeWidth = 4;
  localparam int unsigned MemoryPopLsb = 4;
  localparam int unsigned MemoryPopWidth = 4;
  localparam int unsigned MemoryPushLsb = 8;
  localparam int unsigned MemoryPushWidth = 4;
  localparam int unsigned MemoryBufferLsb = 12;
  localparam int unsigned MemoryBufferWidth = 4;
  localparam int unsigned MemoryWindowLsb = 16;
  localparam int unsigned MemoryWindowWidth = 4;
  localparam int unsigned MemoryWidenLsb = 20;
  localparam int unsigned MemoryWidenWidth = 1;
  localparam int unsigned MemoryPadValueLsb = 21;
  localparam int unsigned MemoryPadValueWidth = 8;
  localparam int unsigned MemorySramBaseLsb = 29;
  localparam int unsigned MemorySramBaseWidth = 16;
  localparam int unsigned MemoryDramOffsetLsb = 64;
  localparam int unsigned MemoryDramOffsetWidth = 48;
  localparam int unsigned MemoryRunLsb = 112;
  localparam int unsigned MemoryRunWidth = 16;
  localparam int unsigned MemoryXCountLsb = 128;
  localparam int unsigned MemoryXCountWidth = 16;
  localparam int unsigned MemoryYCountLsb = 144;
  localparam int unsigned MemoryYCountWidth = 16;
  localparam int unsigned MemoryZCountLsb = 160;
  localparam int unsigned MemoryZCountWidth = 16;
  localparam int unsigned MemoryYSramStrideLsb = 176;
  localparam int unsigned MemoryYSramStrideWidth = 16;
  localparam int unsigned MemoryXDramStrideLsb = 192;
  localparam int unsigned MemoryXDramStrideWidth = 32;
  localparam int unsigned MemoryYDramStrideLsb = 224;
  localparam int unsigned MemoryYDramStrideWidth = 32;
  localparam int unsigned MemoryZDramStrideLsb = 256;
  localparam int unsigned MemoryZDramStrideWidth = 32;
  localparam int unsigned MemoryZSramStrideLsb = 288;
  localparam int unsigned MemoryZSramStrideWidth = 16;
  localparam int unsigned MemoryXPadBeforeLsb = 304;
  localparam int unsigned MemoryXPadBeforeWidth = 16;
  localparam int unsigned MemoryXPadAfterLsb = 320;
  localparam int unsigned MemoryXPadAfterWidth = 16;
  localparam int unsigned MemoryYPadBeforeLsb = 336;
  localparam int unsigned MemoryYPadBeforeWidth = 16;
  localparam int unsigned MemoryYPadAfterLsb = 352;
  localparam int unsigned MemoryYPadAfterWidth = 16;

  // gemm: lowest bit and width of each field
  localparam int unsigned GemmOpcodeLsb = 0;
  localparam int unsigned GemmOpcodeWidth = 4;
  localparam int unsigned GemmPopLsb = 4;
  localparam int unsigned GemmPopWidth = 4;
  localparam int unsigned GemmPushLsb = 8;
  localparam int unsigned GemmPushWidth = 4;
  localparam int unsigned GemmInitLsb = 12;
  localparam int unsigned GemmInitWidth = 1;
  localparam int unsigned GemmReduceMaskLsb = 13;
  localparam int unsigned GemmReduceMaskWidth = 6;
  localparam int unsigned GemmUopBeginLsb = 19;
  localparam int unsigned GemmUopBeginWidth = 16;
  localparam int unsigned GemmUopCountLsb = 35;
  localparam int unsigned GemmUopCountWidth = 16;
  localparam int unsigned GemmAccBaseLsb = 64;
  localparam int unsigned GemmAccBaseWidth = 16;
  localparam int unsigned GemmInpBaseLsb = 80;
  localparam int unsigned GemmInpBaseWidth = 16;
  localparam int unsigned GemmWgtBaseLsb = 96;
  localparam int unsigned GemmWgtBaseWidth = 16;
  localparam int unsigned GemmCount0Lsb = 128;
  localparam int unsigned GemmCount0Width = 16;
  localparam int unsigned GemmAccStride0Lsb = 144;
  localparam int unsigned GemmAccStride0Width = 16;
  localparam int unsigned GemmInpStride0Lsb = 160;
  localparam int unsigned GemmInpStride0Width = 16;
  localparam int unsigned GemmWgtStride0Lsb = 176;
  localparam int unsigned GemmWgtStride0Width = 16;
  localparam int unsigned GemmCount1Lsb = 192;
  localparam int unsigned GemmCount1Width = 16;
  localparam int unsigned GemmAccStride1Lsb = 208;
  localparam int unsigned GemmAccStride1Width = 16;
  localparam int unsigned GemmInpStride1Lsb = 224;
  localparam int unsigned GemmInpStride1Width = 16;
  localparam int unsigned GemmWgtStride1Lsb = 240;
  localparam int unsigned GemmWgtStride1Width = 16;
  localparam int unsigned GemmCount2Lsb = 256;
  localparam int unsigned GemmCount2Width = 16;
  localparam int unsigned GemmAccStride2Lsb = 272;
  localparam int unsigned GemmAccStride2Width = 16;
  localparam int unsigned GemmInpStride2Lsb = 288;
  localparam int unsigned GemmInpStride2Width = 16;
  localparam int unsigned GemmWgtStride2Lsb = 304;
  localparam int unsigned GemmWgtStride2Width = 16;
  localparam int unsigned GemmCount3Lsb = 320;
  localparam int unsigned GemmCount3Width = 16;
  localparam int unsigned GemmAccStride3Lsb = 336;
  localparam int unsigned GemmAccStride3Width = 16;
  localparam int unsigned GemmInpStride3Lsb = 352;
  localparam int unsigned GemmInpStride3Width = 16;
  localparam int unsigned GemmWgtStride3Lsb = 368;
  localparam int unsigned GemmWgtStride3Width = 16;
  localparam int unsigned GemmCount4Lsb = 384;
  localparam int unsigned GemmCount4Width = 16;
  localparam int unsigned GemmAccStride4Lsb = 400;
  localparam int unsigned GemmAccStride4Width = 16;
  localparam int unsigned GemmInpStride4Lsb = 416;
  localparam int unsigned GemmInpStride4Width = 16;
  localparam int unsigned GemmWgtStride4Lsb = 432;
  localparam int unsigned GemmWgtStride4Width = 16;

  // vector: lowest bit and width of each field
  localparam int unsigned VectorOpcodeLsb = 0;
  localparam int unsigned VectorOpcodeWidth = 4;
  localparam int unsigned VectorPopLsb = 4;
  localparam int unsigned VectorPopWidth = 4;
  localparam int unsigned VectorPushLsb = 8;
  localparam int unsigned VectorPushWidth = 4;
  localparam int unsigned VectorOpLsb = 12;
  localparam int unsigned VectorOpWidth = 4;
  localparam int unsigned VectorDstBufferLsb = 16;
  localparam int unsigned VectorDstBufferWidth = 4;
  localparam int unsigned VectorABufferLsb = 20;
  localparam int unsigned VectorABufferWidth = 4;
  localparam int unsigned VectorBKindLsb = 24;
  localparam int unsigned VectorBKindWidth = 2;
  localparam int unsigned VectorInitLsb = 26;
  localparam int unsigned VectorInitWidth = 1;
  localparam int unsigned VectorReduceMaskLsb = 27;
  localparam int unsigned VectorReduceMaskWidth = 5;
  localparam int unsigned VectorShiftLsb = 32;
  localparam int unsigned VectorShiftWidth = 6;
  localparam int unsigned VectorHalfLsb = 38;
  localparam int unsigned VectorHalfWidth = 16;
  localparam int unsigned VectorDstBaseLsb = 64;
  localparam int unsigned VectorDstBaseWidth = 16;
  localparam int unsigned VectorABaseLsb = 80;
  localparam int unsigned VectorABaseWidth = 16;
  localparam int unsigned VectorBBaseLsb = 96;
  localparam int unsigned VectorBBaseWidth = 16;
  localparam int unsigned VectorAOffsetLsb = 112;
  localparam int unsigned VectorAOffsetWidth = 16;
  localparam int unsigned VectorImmLsb = 128;
  localparam int unsigned VectorImmWidth = 32;
  localparam int unsigned VectorOutZeroLsb = 160;
  localparam int unsigned VectorOutZeroWidth = 16;
  localparam int unsigned VectorClampMinLsb = 176;
  localparam int unsigned VectorClampMinWidth = 8;
  localparam int unsigned VectorClampMaxLsb = 184;
  localparam int unsigned VectorClampMaxWidth = 8;
  localparam int unsigned VectorCount0Lsb = 192;
  localparam int unsigned VectorCount0Width = 16;
  localparam int unsigned VectorDstStride0Lsb = 208;
  localparam int unsigned VectorDstStride0Width = 16;
  localparam int unsigned VectorAStride0Lsb = 224;
  localparam int unsigned VectorAStride0Width = 16;
  localparam int unsigned VectorBStride0Lsb = 240;
  localparam int unsigned VectorBStride0Width = 16;
  localparam int unsigned VectorCount1Lsb = 256;
  localparam int unsigned VectorCount1Width = 16;
  localparam int unsigned VectorDstStride1Lsb = 272;
  localparam int unsigned VectorDstStride1Width = 16;
  localparam int unsigned VectorAStride1Lsb = 288;
  localparam int unsigned VectorAStride1Width = 16;
  localparam int unsigned VectorBStride1Lsb = 304;
  localparam int unsigned VectorBStride1Width = 16;
  localparam int unsigned VectorCount2Lsb = 320;
  localparam int unsigned VectorCount2Width = 16;
  localparam int unsigned VectorDstStride2Lsb = 336;
  localparam int unsigned VectorDstStride2Width = 16;
  localparam int unsigned VectorAStride2Lsb = 352;
  localparam int unsigned VectorAStride2Width = 16;
  localparam int unsigned VectorBStride2Lsb = 368;
  localparam int unsigned VectorBStride2Width = 16;
  localparam int unsigned VectorCount3Lsb = 384;
  localparam int unsigned VectorCount3Width = 16;
  localparam int unsigned VectorDstStride3Lsb = 400;
  localparam int unsigned VectorDstStride3Width = 16;
  localparam int unsigned VectorAStride3Lsb = 416;
  localparam int unsigned VectorAStride3Width = 16;
  localparam int unsigned VectorBStride3Lsb = 432;
  localparam int unsigned VectorBStride3Width = 16;
  localparam int unsigned VectorCount4Lsb = 448;
  localparam int unsigned VectorCount4Width = 16;
  localparam int unsigned VectorDstStride4Lsb = 464;
  localparam int unsigned VectorDstStride4Width = 16;
  localparam int unsigned VectorAStride4Lsb = 480;
  localparam int unsigned VectorAStride4Width = 16;
  localparam int unsigned VectorBStride4Lsb = 496;
  localparam int unsigned VectorBStride4Width = 16;

  // finish: lowest bit and width of each field
  localparam int unsigned FinishOpcodeLsb = 0;
  localparam int unsigned FinishOpcodeWidth = 4;
  localparam int unsigned FinishPopLsb = 4;
  localparam int unsigned FinishPopWidth = 4;
  localparam int unsigned FinishPushLsb = 8;
  localparam int unsigned FinishPushWidth = 4;
  localparam int unsigned FinishSequenceLsb = 12;
  localparam int unsigned FinishSequenceWidth = 32;

  // one micro-op of gemm: lowest bit and width of each field
  localparam int unsigned UopAccLsb = 0;
  localparam int unsigned UopAccWidth = 16;
  localparam int unsigned UopInpLsb = 16;
  localparam int unsigned UopInpWidth = 16;
  localparam int unsigned UopWgtLsb = 32;
  localparam int unsigned UopWgtWidth = 16;

  // load and store
  typedef struct packed {
    logic [143:0] reserved368;
    logic [15:0] y_pad_after;
    logic [15:0] y_pad_before;
    logic [15:0] x_pad_after;
    logic [15:0] x_pad_before;
    logic [15:0] z_sram_stride;
    logic [31:0] z_dram_stride;
    logic [31:0] y_dram_stride;
    logic [31:0] x_dram_stride;
    logic [15:0] y_sram_stride;
    logic [15:0] z_count;
    logic [15:0] y_count;
    logic [15:0] x_count;
    logic [15:0] run;
    logic [47:0] dram_offset;
    logic [18:0] reserved45;
    logic [15:0] sram_base;
    logic signed [7:0] pad_value;
    logic [0:0] widen;
    logic [3:0] window;
    logic [3:0] buffer;
    logic [3:0] push;
    logic [3:0] pop;
    logic [3:0] opcode;
  } memory_t;

  // gemm
  typedef struct packed {
    logic [63:0] reserved448;
    logic [15:0] wgt_stride4;
    logic [15:0] inp_stride4;
    logic [15:0] acc_stride4;
    logic [15:0] count4;
    logic [15:0] wgt_stride3;
    logic [15:0] inp_stride3;
    logic [15:0] acc_stride3;
    logic [15:0] count3;
    logic [15:0] wgt_stride2;
    logic [15:0] inp_stride2;
    logic [15:0] acc_stride2;
    logic [15:0] count2;
    logic [15:0] wgt_stride1;
    logic [15:0] inp_stride1;
    logic [15:0] acc_stride1;
    logic [15:0] count1;
    logic [15:0] wgt_stride0;
    logic [15:0] inp_stride0;
    logic [15:0] acc_stride0;
    logic [15:0] count0;
    logic [15:0] reserved112;
    logic [15:0] wgt_base;
    logic [15:0] inp_base;
    logic [15:0] acc_base;
    logic [12:0] reserved51;
    logic [15:0] uop_count;
    logic [15:0] uop_begin;
    logic [5:0] reduce_mask;
    logic [0:0] init;
    logic [3:0] push;
    logic [3:0] pop;
    logic [3:0] opcode;
  } gemm_t;

  // vector
  typedef struct packed {
    logic [15:0] b_stride4;
    logic [15:0] a_stride4;
    logic [15:0] dst_stride4;
    logic [15:0] count4;
    logic [15:0] b_stride3;
    logic [15:0] a_stride3;
    logic [15:0] dst_stride3;
    logic [15:0] count3;
    logic [15:0] b_stride2;
    logic [15:0] a_stride2;
    logic [15:0] dst_stride2;
    logic [15:0] count2;
    logic [15:0] b_stride1;
    logic [15:0] a_stride1;
    logic [15:0] dst_stride1;
    logic [15:0] count1;
    logic [15:0] b_stride0;
    logic [15:0] a_stride0;
    logic [15:0] dst_stride0;
    logic [15:0] count0;
    logic signed [7:0] clamp_max;
    logic signed [7:0] clamp_min;
    logic signed [15:0] out_zero;
    logic signed [31:0] imm;
    logic signed [15:0] a_offset;
    logic [15:0] b_base;
    logic [15:0] a_base;
    logic [15:0] dst_base;
    logic [9:0] reserved54;
    logic [15:0] half;
    logic [5:0] shift;
    logic [4:0] reduce_mask;
    logic [0:0] init;
    logic [1:0] b_kind;
    logic [3:0] a_buffer;
    logic [3:0] dst_buffer;
    logic [3:0] op;
    logic [3:0] push;
    logic [3:0] pop;
    logic [3:0] opcode;
  } vector_t;

  // finish
  typedef struct packed {
    logic [467:0] reserved44;
    logic [31:0] sequence_;
    logic [3:0] push;
    logic [3:0] pop;
    logic [3:0] opcode;
  } finish_t;

  // one micro-op of gemm
  typedef struct packed {
    logic [15:0] reserved48;
    logic [15:0] wgt;
    logic [15:0] inp;
    logic [15:0] acc;
  } uop_t;

  // Register offsets; 64-bit values are low word first.
  localparam int unsigned RegisterSpace = 512;
  localparam int unsigned RegisterBits = 9;
  localparam int unsigned WindowStride = 16;
  localparam logic [8:0] RegMagic = 9'h000;  // reads "VDLA"
  localparam logic [8:0] RegIsaVersion = 9'h004;  // version of the instruction set
  localparam logic [8:0] RegGeometryHashLo = 9'h008;  // hash of version and geometry, low word
  localparam logic [8:0] RegGeometryHashHi = 9'h00c;  // high word
  localparam logic [8:0] RegControl = 9'h010;  // what the machine is told to do
  localparam logic [8:0] RegStatus = 9'h014;  // what the machine does
  localparam logic [8:0] RegIrqStatus = 9'h018;  // what the interrupt is about
  localparam logic [8:0] RegSequence = 9'h01c;  // sequence number of the last finish
  localparam logic [8:0] RegInsnOffset = 9'h020;  // byte offset of the first instruction in window insn, a multiple of 64 as the window's base is
  localparam logic [8:0] RegInsnCount = 9'h024;  // instructions to fetch; the last one must be finish
  localparam logic [8:0] RegStallLimit = 9'h028;  // stalled cycles in a row before error stall; 0: never; 1 to 127 act as 128. Stalled: no instruction is dispatched, started, worked on or retired, and no burst is unanswered
  localparam logic [8:0] RegErrorCode = 9'h030;  // see error codes
  localparam logic [8:0] RegErrorUnit = 9'h034;  // unit that raised the error
  localparam logic [8:0] RegErrorInsn = 9'h038;  // index of its instruction, counted from the one at INSN_OFFSET; as all indices here
  localparam logic [8:0] RegErrorAddrLo = 9'h03c;  // address or SRAM index at fault, low word
  localparam logic [8:0] RegErrorAddrHi = 9'h040;  // high word
  localparam logic [8:0] RegLoadInsn = 9'h050;  // index of the instruction that the unit works on or waits to start
  localparam logic [8:0] RegLoadState = 9'h054;  // what the unit does
  localparam logic [8:0] RegGemmInsn = 9'h058;  // as LOAD_INSN
  localparam logic [8:0] RegGemmState = 9'h05c;  // as LOAD_STATE
  localparam logic [8:0] RegVectorInsn = 9'h060;  // as LOAD_INSN
  localparam logic [8:0] RegVectorState = 9'h064;  // as LOAD_STATE
  localparam logic [8:0] RegStoreInsn = 9'h068;  // as LOAD_INSN
  localparam logic [8:0] RegStoreState = 9'h06c;  // as LOAD_STATE
  localparam logic [8:0] RegFetchInsn = 9'h070;  // index of the next instruction to dispatch
  localparam logic [8:0] RegFetchState = 9'h074;  // what fetch does
  localparam logic [8:0] RegCyclesLo = 9'h080;  // cycles from start to done
  localparam logic [8:0] RegCyclesHi = 9'h084;  // high word
  localparam logic [8:0] RegReadBytesLo = 9'h088;  // bytes read from DRAM, all clients
  localparam logic [8:0] RegReadBytesHi = 9'h08c;  // high word
  localparam logic [8:0] RegWriteBytesLo = 9'h090;  // bytes written to DRAM
  localparam logic [8:0] RegWriteBytesHi = 9'h094;  // high word
  localparam logic [8:0] RegLoadBusy = 9'h0a0;  // cycles with an instruction running
  localparam logic [8:0] RegLoadTokenStall = 9'h0a4;  // cycles with an instruction waiting for a token or for space to push one
  localparam logic [8:0] RegGemmBusy = 9'h0a8;  // as LOAD_BUSY
  localparam logic [8:0] RegGemmTokenStall = 9'h0ac;  // as LOAD_TOKEN_STALL
  localparam logic [8:0] RegVectorBusy = 9'h0b0;  // as LOAD_BUSY
  localparam logic [8:0] RegVectorTokenStall = 9'h0b4;  // as LOAD_TOKEN_STALL
  localparam logic [8:0] RegStoreBusy = 9'h0b8;  // as LOAD_BUSY
  localparam logic [8:0] RegStoreTokenStall = 9'h0bc;  // as LOAD_TOKEN_STALL
  localparam logic [8:0] RegLoadSince = 9'h0c0;  // cycle of this run (low word) from which on the unit has neither got its first, started, ended nor retired an instruction
  localparam logic [8:0] RegGemmSince = 9'h0c8;  // as LOAD_SINCE
  localparam logic [8:0] RegVectorSince = 9'h0d0;  // as LOAD_SINCE
  localparam logic [8:0] RegStoreSince = 9'h0d8;  // as LOAD_SINCE
  localparam logic [8:0] RegFetchSince = 9'h0e0;  // cycle of this run (low word) from which on fetch has not dispatched an instruction
  localparam logic [8:0] RegWindow0BaseLo = 9'h100;  // byte address of window 0; window w is 16*w further on
  localparam logic [8:0] RegWindow0BaseHi = 9'h104;  // high word
  localparam logic [8:0] RegWindow0SizeLo = 9'h108;  // bytes in the window; an access beyond is an error
  localparam logic [8:0] RegWindow0SizeHi = 9'h10c;  // high word
  localparam logic [8:0] RegBuildId = 9'h180;  // number of this build, as whoever built it chose it; 0: not stated
  localparam logic [8:0] RegClockKhz = 9'h184;  // clock in kHz, as whoever built it states it; 0: not stated
  localparam logic [8:0] RegAddressBits = 9'h188;  // bits of memory addresses that reach the memory; 0: all 64
  localparam logic [8:0] RegGeometryBatch = 9'h190;  // B: rows of the array
  localparam logic [8:0] RegGeometryBlockIn = 9'h194;  // K: products summed per step
  localparam logic [8:0] RegGeometryBlockOut = 9'h198;  // N: output channels per step
  localparam logic [8:0] RegGeometryInpDepth = 9'h19c;  // entries of buffer inp
  localparam logic [8:0] RegGeometryWgtDepth = 9'h1a0;  // entries of buffer wgt
  localparam logic [8:0] RegGeometryAccDepth = 9'h1a4;  // entries of buffer acc
  localparam logic [8:0] RegGeometryOutDepth = 9'h1a8;  // entries of buffer out
  localparam logic [8:0] RegGeometryParDepth = 9'h1ac;  // entries of buffer par
  localparam logic [8:0] RegGeometryUopDepth = 9'h1b0;  // entries of buffer uop
  localparam logic [8:0] RegGeometryQueueDepth = 9'h1b4;  // instructions per unit queue
  localparam logic [8:0] RegGeometryTokenDepth = 9'h1b8;  // tokens per channel
  localparam logic [31:0] ControlStart = 32'h1;
  localparam int unsigned ControlStartLsb = 0;
  localparam logic [31:0] ControlSoftReset = 32'h2;
  localparam int unsigned ControlSoftResetLsb = 1;
  localparam logic [31:0] ControlIrqEnable = 32'h4;
  localparam int unsigned ControlIrqEnableLsb = 2;
  localparam logic [31:0] StatusIdle = 32'h1;
  localparam int unsigned StatusIdleLsb = 0;
  localparam logic [31:0] StatusBusy = 32'h2;
  localparam int unsigned StatusBusyLsb = 1;
  localparam logic [31:0] StatusDone = 32'h4;
  localparam int unsigned StatusDoneLsb = 2;
  localparam logic [31:0] StatusError = 32'h8;
  localparam int unsigned StatusErrorLsb = 3;
  localparam logic [31:0] IrqDone = 32'h1;
  localparam int unsigned IrqDoneLsb = 0;
  localparam logic [31:0] IrqError = 32'h2;
  localparam int unsigned IrqErrorLsb = 1;
  localparam logic [31:0] UnitStateHasInsn = 32'h1;
  localparam int unsigned UnitStateHasInsnLsb = 0;
  localparam logic [31:0] UnitStateRunning = 32'h2;
  localparam int unsigned UnitStateRunningLsb = 1;
  localparam logic [31:0] UnitStateOwed = 32'h4;
  localparam int unsigned UnitStateOwedLsb = 2;
  localparam logic [31:0] UnitStateWaitingPops = 32'hf0;
  localparam int unsigned UnitStateWaitingPopsLsb = 4;
  localparam logic [31:0] UnitStateWaitingPushes = 32'hf00;
  localparam int unsigned UnitStateWaitingPushesLsb = 8;
  localparam logic [31:0] FetchStateBusy = 32'h1;
  localparam int unsigned FetchStateBusyLsb = 0;
  localparam logic [31:0] FetchStateOwed = 32'h4;
  localparam int unsigned FetchStateOwedLsb = 2;
  localparam logic [31:0] FetchStateWaitingQueue = 32'hf0;
  localparam int unsigned FetchStateWaitingQueueLsb = 4;
  localparam logic [31:0] MinStallLimit = 32'd128;
endpackage
/* verilator lint_on UNUSED */
