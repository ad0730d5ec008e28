// SPDX-License-Identifier: Apache-2.0
// The vector unit: one entry each cycle through a pipeline of ten stages (0, 1: vdla_vector_issue; 2 to 9:
// vdla_vector_lane). Stages 2 to 9 stop as a whole while an accumulator bank or a write port that they need is taken.

`include "vdla_assert.svh"

module vdla_vector #(
  parameter  int unsigned Batch,
  parameter  int unsigned BlockIn,
  parameter  int unsigned BlockOut,
  parameter  int unsigned InpDepth,
  parameter  int unsigned AccDepth,
  parameter  int unsigned OutDepth,
  parameter  int unsigned ParDepth,
  localparam int unsigned AccAW    = $clog2(AccDepth),
  localparam int unsigned ParAW    = $clog2(ParDepth),
  localparam int unsigned Lanes    = Batch * BlockOut,
  localparam int unsigned AddrW    = vdla_pkg::AddrBits,
  localparam int unsigned EntryW   = vdla_isa_pkg::IndexBits,
  localparam int unsigned IndexW   = vdla_pkg::InsnIndexBits,
  localparam int unsigned InpWidth = Batch * BlockIn * vdla_pkg::OperandBits,
  localparam int unsigned AccWidth = Lanes * vdla_pkg::AccBits,
  localparam int unsigned OutWidth = Lanes * vdla_pkg::OperandBits,
  localparam int unsigned ParWidth = BlockOut * vdla_pkg::AccBits
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  halt_i,
  // instruction
  input  logic                  start_valid_i,
  output logic                  start_ready_o,
  input  vdla_isa_pkg::vector_t start_insn_i,
  input  logic [IndexW-1:0]     start_index_i,
  output logic                  done_o,
  // accumulators: reads a (stage 1) and c (stage 7), write w (stage 8)
  output logic                  acc_a_want_o,
  input  logic                  acc_a_grant_i,
  output logic                  acc_a_re_o,
  output logic [AccAW-1:0]      acc_a_addr_o,
  output logic                  acc_c_want_o,
  input  logic                  acc_c_grant_i,
  output logic                  acc_c_re_o,
  output logic [AccAW-1:0]      acc_c_addr_o,
  input  logic [2*AccWidth-1:0] acc_banks_i,
  output logic                  acc_w_want_o,
  input  logic                  acc_w_grant_i,
  output logic                  acc_we_o,
  output logic [AccAW-1:0]      acc_waddr_o,
  output logic [AccWidth-1:0]   acc_wdata_o,
  // inp and out: read (stage 1), write (stage 9)
  input  logic                  inp_grant_i,
  output logic                  inp_re_o,
  input  logic [InpWidth-1:0]   inp_i,
  input  logic                  out_grant_i,
  output logic                  out_re_o,
  input  logic [OutWidth-1:0]   out_i,
  output logic [EntryW-1:0]     read_addr_o,
  output logic                  inp_we_o,
  input  logic                  inp_w_grant_i,
  output logic                  out_we_o,
  input  logic                  out_w_grant_i,
  output logic [EntryW-1:0]     write_addr_o,
  output logic [OutWidth-1:0]   write_data_o,
  // par
  output logic                  par_re_o,
  output logic [ParAW-1:0]      par_addr_o,
  input  logic [ParWidth-1:0]   par_i,
  // errors, what happens
  output logic                  err_valid_o,
  output logic [IndexW-1:0]     err_insn_o,
  output logic [AddrW-1:0]      err_addr_o,
  output logic                  busy_o,         // a step in any stage that is not held back
  output logic                  step_o,         // a step takes its operand
  output logic                  bank_stall_o
);

  vdla_vector_pkg::step_t step1, step2_q, step3_q, step4_q, step5_q, step6_q, step7_q, step8_q, step9_q;
  logic [9:2]             valid_q, valid_d;
  logic                   advance, stall, go, hazard, a_want, a_grant, issue_active, port_stall;
  logic [EntryW-1:0]      a1;
  logic                   take_bias, take_multiplier, take_shift;

  vdla_vector_issue #(
    .InpDepth(InpDepth),
    .AccDepth(AccDepth),
    .OutDepth(OutDepth),
    .ParDepth(ParDepth)
  ) u_issue (
    .clk_i            (clk_i),
    .rst_i            (rst_i),
    .halt_i           (halt_i),
    .start_valid_i    (start_valid_i),
    .start_ready_o    (start_ready_o),
    .start_insn_i     (start_insn_i),
    .start_index_i    (start_index_i),
    .advance_i        (advance),
    .empty_i          (valid_q == '0),
    .hazard_i         (hazard),
    .go_o             (go),
    .step_o           (step1),
    .a_o              (a1),
    .a_want_o         (a_want),
    .a_grant_i        (a_grant),
    .par_re_o         (par_re_o),
    .par_addr_o       (par_addr_o),
    .take_bias_o      (take_bias),
    .take_multiplier_o(take_multiplier),
    .take_shift_o     (take_shift),
    .err_valid_o      (err_valid_o),
    .err_insn_o       (err_insn_o),
    .err_addr_o       (err_addr_o),
    .active_o         (issue_active),
    .port_stall_o     (port_stall)
  );

  // --- operand a ---
  logic a_acc, a_inp;
  assign a_acc        = step1.a_buffer == vdla_isa_pkg::BufferAcc;
  assign a_inp        = step1.a_buffer == vdla_isa_pkg::BufferInp;
  assign acc_a_want_o = a_want && a_acc;
  assign a_grant      = a_acc ? acc_a_grant_i : (a_inp ? inp_grant_i : out_grant_i);
  assign acc_a_re_o   = go && a_acc;
  assign inp_re_o     = go && a_inp;
  assign out_re_o     = go && !a_acc && !a_inp;
  assign acc_a_addr_o = a1[AccAW-1:0];
  assign read_addr_o  = a1;

  // A step in stages 2 to 9 that will write, or writes now, what stage 1 wants to read.
  logic [9:2] writes_a;
  always_comb begin
    writes_a[2] = step2_q.dst_buffer == step1.a_buffer && step2_q.dst == a1;
    writes_a[3] = step3_q.dst_buffer == step1.a_buffer && step3_q.dst == a1;
    writes_a[4] = step4_q.dst_buffer == step1.a_buffer && step4_q.dst == a1;
    writes_a[5] = step5_q.dst_buffer == step1.a_buffer && step5_q.dst == a1;
    writes_a[6] = step6_q.dst_buffer == step1.a_buffer && step6_q.dst == a1;
    writes_a[7] = step7_q.dst_buffer == step1.a_buffer && step7_q.dst == a1;
    writes_a[8] = step8_q.dst_buffer == step1.a_buffer && step8_q.dst == a1;
    writes_a[9] = step9_q.dst_buffer == step1.a_buffer && step9_q.dst == a1;
  end
  assign hazard = (writes_a & valid_q) != '0;

  // --- the pipeline ---
  logic a_fresh_q, a_bank_q, c_fresh_q, c_bank_q, forward_q, reads_c7, to_acc7, to_acc8, to_inp9, to_out9, w_stall;

  assign to_acc7  = step7_q.dst_buffer == vdla_isa_pkg::BufferAcc;
  assign to_acc8  = valid_q[8] && step8_q.dst_buffer == vdla_isa_pkg::BufferAcc;
  assign to_inp9  = valid_q[9] && step9_q.dst_buffer == vdla_isa_pkg::BufferInp;
  assign to_out9  = valid_q[9] && step9_q.dst_buffer == vdla_isa_pkg::BufferOut;
  assign reads_c7 = valid_q[7] && to_acc7 && !step7_q.first && step7_q.op != vdla_isa_pkg::VectorOpAvg;
  assign w_stall  = (to_acc8 && !acc_w_grant_i) || (to_inp9 && !inp_w_grant_i) || (to_out9 && !out_w_grant_i);
  assign stall    = (reads_c7 && !acc_c_grant_i) || w_stall;
  assign advance  = !stall && !halt_i;
  assign valid_d  = {valid_q[8:2], go};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q   <= '0;
      a_fresh_q <= 1'b0;
      c_fresh_q <= 1'b0;
    end else begin
      if (advance) valid_q <= valid_d;
      a_fresh_q <= go;
      c_fresh_q <= acc_c_re_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (go) begin
      step2_q  <= step1;
      a_bank_q <= a1[AccAW-1];
    end
    if (advance) begin
      if (valid_q[2]) step3_q <= step2_q;
      if (valid_q[3]) step4_q <= step3_q;
      if (valid_q[4]) step5_q <= step4_q;
      if (valid_q[5]) step6_q <= step5_q;
      if (valid_q[6]) step7_q <= step6_q;
      if (valid_q[7]) begin
        step8_q   <= step7_q;
        c_bank_q  <= step7_q.dst[AccAW-1];
        forward_q <= to_acc8 && to_acc7 && step8_q.dst == step7_q.dst;
      end
      if (valid_q[8]) step9_q <= step8_q;
    end
  end

  vdla_vector_lane #(
    .Batch   (Batch),
    .BlockIn (BlockIn),
    .BlockOut(BlockOut)
  ) u_lane (
    .clk_i            (clk_i),
    .advance_i        (advance),
    .valid_i          (valid_q),
    .step2_i          (step2_q),
    .step3_i          (step3_q),
    .step4_i          (step4_q),
    .step5_i          (step5_q),
    .step6_i          (step6_q),
    .step7_i          (step7_q),
    .step8_i          (step8_q),
    .step9_i          (step9_q),
    .a_fresh_i        (a_fresh_q),
    .a_bank_i         (a_bank_q),
    .acc_banks_i      (acc_banks_i),
    .inp_i            (inp_i),
    .out_i            (out_i),
    .par_i            (par_i),
    .take_bias_i      (take_bias),
    .take_multiplier_i(take_multiplier),
    .take_shift_i     (take_shift),
    .c_fresh_i        (c_fresh_q),
    .c_bank_i         (c_bank_q),
    .forward_i        (forward_q),
    .result_o         (acc_wdata_o),
    .int8_o           (write_data_o)
  );

  assign acc_c_want_o = reads_c7;
  assign acc_c_re_o   = reads_c7 && advance;
  assign acc_c_addr_o = step7_q.dst[AccAW-1:0];
  assign acc_w_want_o = to_acc8;
  assign acc_we_o     = to_acc8 && advance;
  assign acc_waddr_o  = step8_q.dst[AccAW-1:0];
  assign inp_we_o     = to_inp9 && advance;
  assign out_we_o     = to_out9 && advance;
  assign write_addr_o = step9_q.dst;
  assign done_o       = valid_q[9] && step9_q.last && advance;
  assign busy_o       = (go || valid_q != '0 || issue_active) && !port_stall && !stall;
  assign step_o       = go;
  assign bank_stall_o = port_stall || stall;

  `VDLA_COVER(AccReadRefused, reads_c7 && !acc_c_grant_i)
  `VDLA_COVER(AccWriteRefused, to_acc8 && !acc_w_grant_i)
  `VDLA_COVER(InpWriteRefused, to_inp9 && !inp_w_grant_i)
  `VDLA_COVER(OutWriteRefused, to_out9 && !out_w_grant_i)
  `VDLA_COVER(OperandWaitsForAnEarlierStep, issue_active && hazard)
  `VDLA_ASSERT(ParametersWhileEmpty, take_bias || take_multiplier || take_shift |-> valid_q == '0)
  `VDLA_ASSERT(NothingMovesWhileStalled, stall |-> !go && !acc_we_o && !inp_we_o && !out_we_o)

endmodule
