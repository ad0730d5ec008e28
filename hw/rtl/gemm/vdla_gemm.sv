// SPDX-License-Identifier: Apache-2.0
// The gemm unit: walks the nest with the micro-op loop innermost, one step each cycle, without any stall.
//
// Stages: 0 counters, micro-op read; 1 indices; 2 bounds, inp and wgt read; 3 products summed, acc read; 4 accumulate,
// acc write. A step that accumulates into the entry of the step before it takes that result from a register.

`include "vdla_assert.svh"

module vdla_gemm #(
  parameter  int unsigned Batch,
  parameter  int unsigned BlockIn,
  parameter  int unsigned BlockOut,
  parameter  int unsigned InpDepth,
  parameter  int unsigned WgtDepth,
  parameter  int unsigned AccDepth,
  parameter  int unsigned UopDepth,
  localparam int unsigned UopAW    = $clog2(UopDepth),
  localparam int unsigned InpAW    = $clog2(InpDepth),
  localparam int unsigned WgtAW    = $clog2(WgtDepth),
  localparam int unsigned AccAW    = $clog2(AccDepth),
  localparam int unsigned Lanes    = Batch * BlockOut,
  localparam int unsigned AddrW    = vdla_pkg::AddrBits,
  localparam int unsigned EntryW   = vdla_isa_pkg::IndexBits,
  localparam int unsigned IndexW   = vdla_pkg::InsnIndexBits,
  localparam int unsigned AccBits  = vdla_pkg::AccBits,
  localparam int unsigned InpWidth = Batch * BlockIn * vdla_pkg::OperandBits,
  localparam int unsigned WgtWidth = BlockOut * BlockIn * vdla_pkg::OperandBits,
  localparam int unsigned AccWidth = Lanes * AccBits
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  halt_i,
  // instruction
  input  logic                  start_valid_i,
  output logic                  start_ready_o,
  input  vdla_isa_pkg::gemm_t   start_insn_i,
  input  logic [IndexW-1:0]     start_index_i,
  output logic                  done_o,
  // micro-ops
  output logic                  uop_re_o,
  output logic [UopAW-1:0]      uop_addr_o,
  input  vdla_isa_pkg::uop_t    uop_i,
  // operands
  output logic                  operand_re_o,
  output logic [InpAW-1:0]      inp_addr_o,
  output logic [WgtAW-1:0]      wgt_addr_o,
  input  logic [InpWidth-1:0]   inp_i,
  input  logic [WgtWidth-1:0]   wgt_i,
  // accumulators: data of the bank that was read, one cycle later
  output logic                  acc_re_o,
  output logic [AccAW-1:0]      acc_raddr_o,
  input  logic [2*AccWidth-1:0] acc_banks_i,
  output logic                  acc_we_o,
  output logic [AccAW-1:0]      acc_waddr_o,
  output logic [AccWidth-1:0]   acc_wdata_o,
  // errors, what happens
  output logic                  err_valid_o,
  output logic [IndexW-1:0]     err_insn_o,
  output logic [AddrW-1:0]      err_addr_o,
  output logic                  busy_o,           // a step in any stage
  output logic                  step_o            // a step enters
);

  localparam int unsigned Levels = vdla_isa_pkg::Levels;
  localparam int unsigned NestW  = 3 * EntryW;  // acc, inp, wgt from bit 0 upward
  localparam int unsigned DepthW = EntryW + 1;  // entries of a buffer
  localparam int unsigned UopW   = vdla_isa_pkg::GemmUopCountWidth;

  // --- stage 0: counters ---
  logic                                         active_q, start, step, nest_last, uop_last, insn_last, first;
  logic [UopW-1:0]                              uop_begin_q, uop_count_q, uop_q;
  logic [vdla_isa_pkg::GemmReduceMaskWidth-1:0] reduce_mask_q;
  logic                                         init_q;
  logic [IndexW-1:0]                            index0_q;
  logic [NestW-1:0]                             nest_index;
  logic [Levels-1:0]                            nest_zero;

  assign step          = active_q && !halt_i;
  assign uop_last      = uop_q == uop_count_q - UopW'(1);
  assign insn_last     = step && uop_last && nest_last;
  assign start_ready_o = !active_q || insn_last;
  assign start         = start_valid_i && start_ready_o;
  assign first         = init_q && (!reduce_mask_q[vdla_isa_pkg::ReduceUopBit] || uop_q == '0) &&
                         (reduce_mask_q[Levels-1:0] & ~nest_zero) == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) active_q <= 1'b0;
    else if (start) active_q <= 1'b1;
    else if (insn_last) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      uop_begin_q   <= start_insn_i.uop_begin;
      uop_count_q   <= start_insn_i.uop_count;
      reduce_mask_q <= start_insn_i.reduce_mask;
      init_q        <= start_insn_i.init;
      index0_q      <= start_index_i;
      uop_q         <= '0;
    end else if (step) begin
      uop_q <= uop_last ? '0 : uop_q + UopW'(1);
    end
  end

  vdla_nest u_nest (
    .clk_i   (clk_i),
    .load_i  (start),
    .levels_i({start_insn_i.wgt_stride4, start_insn_i.inp_stride4, start_insn_i.acc_stride4, start_insn_i.count4,
                start_insn_i.wgt_stride3, start_insn_i.inp_stride3, start_insn_i.acc_stride3, start_insn_i.count3,
                start_insn_i.wgt_stride2, start_insn_i.inp_stride2, start_insn_i.acc_stride2, start_insn_i.count2,
                start_insn_i.wgt_stride1, start_insn_i.inp_stride1, start_insn_i.acc_stride1, start_insn_i.count1,
                start_insn_i.wgt_stride0, start_insn_i.inp_stride0, start_insn_i.acc_stride0, start_insn_i.count0}),
    .base_i  ({start_insn_i.wgt_base, start_insn_i.inp_base, start_insn_i.acc_base}),
    .step_i  (step && uop_last),
    .index_o (nest_index),
    .zero_o  (nest_zero),
    .last_o  (nest_last)
  );

  assign uop_re_o   = step;
  assign uop_addr_o = UopAW'(uop_begin_q + uop_q);

  // --- stages 1 and 2: indices ---
  logic              valid1_q, first1_q, last1_q, valid2_q, first2_q, last2_q;
  logic [IndexW-1:0] index1_q, index2_q;
  logic [NestW-1:0]  nest1_q;
  logic [EntryW-1:0] acc2_q, inp2_q, wgt2_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end else begin
      valid1_q <= step;
      valid2_q <= valid1_q && !halt_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      nest1_q  <= nest_index;
      first1_q <= first;
      last1_q  <= insn_last;
      index1_q <= index0_q;
    end
    if (valid1_q) begin
      acc2_q   <= nest1_q[0 +: EntryW] + uop_i.acc;
      inp2_q   <= nest1_q[EntryW +: EntryW] + uop_i.inp;
      wgt2_q   <= nest1_q[2*EntryW +: EntryW] + uop_i.wgt;
      first2_q <= first1_q;
      last2_q  <= last1_q;
      index2_q <= index1_q;
    end
  end

  logic acc_inside, inp_inside, wgt_inside, go2;
  assign acc_inside   = {1'b0, acc2_q} < DepthW'(AccDepth);
  assign inp_inside   = {1'b0, inp2_q} < DepthW'(InpDepth);
  assign wgt_inside   = {1'b0, wgt2_q} < DepthW'(WgtDepth);
  assign go2          = valid2_q && acc_inside && inp_inside && wgt_inside && !halt_i;
  assign err_valid_o  = valid2_q && !(acc_inside && inp_inside && wgt_inside) && !halt_i;
  assign err_insn_o   = index2_q;
  assign err_addr_o   = {{(AddrW-EntryW){1'b0}}, !acc_inside ? acc2_q : (!inp_inside ? inp2_q : wgt2_q)};
  assign operand_re_o = go2;
  assign inp_addr_o   = inp2_q[InpAW-1:0];
  assign wgt_addr_o   = wgt2_q[WgtAW-1:0];

  // --- stages 3 and 4: products, accumulation ---
  logic                valid3_q, first3_q, last3_q, valid4_q, first4_q, last4_q, forward4_q;
  logic [AccAW-1:0]    acc3_q, acc4_q;
  logic [AccWidth-1:0] sum4, result, result_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid3_q <= 1'b0;
      valid4_q <= 1'b0;
    end else begin
      valid3_q <= go2;
      valid4_q <= valid3_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (go2) begin
      acc3_q   <= acc2_q[AccAW-1:0];
      first3_q <= first2_q;
      last3_q  <= last2_q;
    end
    if (valid3_q) begin
      acc4_q     <= acc3_q;
      first4_q   <= first3_q;
      last4_q    <= last3_q;
      forward4_q <= valid4_q && acc4_q == acc3_q;
    end
    if (valid4_q) result_q <= result;
  end

  vdla_gemm_array #(
    .Batch   (Batch),
    .BlockIn (BlockIn),
    .BlockOut(BlockOut)
  ) u_array (
    .clk_i  (clk_i),
    .valid_i(valid3_q),
    .inp_i  (inp_i),
    .wgt_i  (wgt_i),
    .sum_o  (sum4)
  );

  logic [AccWidth-1:0] old;
  always_comb begin
    result = '0;
    old    = '0;
    if (valid4_q) begin
      if (forward4_q) old = result_q;
      else if (acc4_q[AccAW-1]) old = acc_banks_i[AccWidth +: AccWidth];
      else old = acc_banks_i[0 +: AccWidth];
      for (int i = 0; i < Lanes; i++) begin
        result[i*AccBits +: AccBits] = (first4_q ? '0 : old[i*AccBits +: AccBits]) + sum4[i*AccBits +: AccBits];
      end
    end
  end

  assign acc_re_o    = valid3_q && !first3_q;
  assign acc_raddr_o = acc3_q;
  assign acc_we_o    = valid4_q;
  assign acc_waddr_o = acc4_q;
  assign acc_wdata_o = result;
  assign done_o      = valid4_q && last4_q;
  assign busy_o      = active_q || valid1_q || valid2_q || valid3_q || valid4_q;
  assign step_o      = step;

  `VDLA_COVER(TakesTheSumOfTheStepBefore, valid4_q && forward4_q && !first4_q)
  `VDLA_COVER(NextInstructionWithoutAGap, insn_last && start)
  `VDLA_COVER(ErrorBehindStepsThatWrite, err_valid_o && (valid3_q || valid4_q))
  `VDLA_ASSERT(MicroOpsInside, step |-> {1'b0, uop_begin_q} + {1'b0, uop_q} < (UopW+1)'(UopDepth))

  logic unused;
  assign unused = (^start_insn_i) ^ (^uop_i.reserved48);  // fields of the front, reserved ones

endmodule
