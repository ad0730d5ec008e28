// SPDX-License-Identifier: Apache-2.0
// The front of the vector unit: stage 0 walks the nest, stage 1 checks bounds and holds a step back until its operands
// can be read: no earlier step in the pipeline still has to write what it reads, the memory port is free, the
// parameters of scale are at hand.

module vdla_vector_issue #(
  parameter  int unsigned InpDepth,
  parameter  int unsigned AccDepth,
  parameter  int unsigned OutDepth,
  parameter  int unsigned ParDepth,
  localparam int unsigned ParAW    = $clog2(ParDepth),
  localparam int unsigned AddrW    = vdla_pkg::AddrBits,
  localparam int unsigned EntryW   = vdla_isa_pkg::IndexBits,
  localparam int unsigned IndexW   = vdla_pkg::InsnIndexBits
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   halt_i,
  // instruction
  input  logic                   start_valid_i,
  output logic                   start_ready_o,
  input  vdla_isa_pkg::vector_t  start_insn_i,
  input  logic [IndexW-1:0]      start_index_i,
  // step that enters stage 2
  input  logic                   advance_i,      // stages 2 to 9 move
  input  logic                   empty_i,        // and hold nothing
  input  logic                   hazard_i,       // and will still write operand a
  output logic                   go_o,
  output vdla_vector_pkg::step_t step_o,
  output logic [EntryW-1:0]      a_o,
  // operand memories
  output logic                   a_want_o,
  input  logic                   a_grant_i,
  output logic                   par_re_o,
  output logic [ParAW-1:0]       par_addr_o,
  output logic                   take_bias_o,
  output logic                   take_multiplier_o,
  output logic                   take_shift_o,
  // errors, what happens
  output logic                   err_valid_o,
  output logic [IndexW-1:0]      err_insn_o,
  output logic [AddrW-1:0]       err_addr_o,
  output logic                   active_o,
  output logic                   port_stall_o
);

  localparam int unsigned Levels  = vdla_isa_pkg::Levels;
  localparam int unsigned NestW   = 3 * EntryW;  // dst, a, b from bit 0 upward
  localparam int unsigned DepthW  = EntryW + 1;  // entries of a buffer
  localparam int unsigned BufferW = vdla_isa_pkg::BufferBits;

  // --- stage 0: the nest ---
  logic                   active_q, begin_q, init_q, start, step0, nest_last, insn_last;
  logic [Levels-1:0]      reduce_mask_q, nest_zero;
  logic [NestW-1:0]       nest_index;
  vdla_vector_pkg::step_t insn_q, insn_d, step0_d;
  logic                   valid1_q, ready1;

  assign step0         = active_q && ready1 && !halt_i;
  assign insn_last     = step0 && nest_last;
  assign start_ready_o = !active_q || insn_last;
  assign start         = start_valid_i && start_ready_o;

  vdla_nest u_nest (
    .clk_i   (clk_i),
    .load_i  (start),
    .levels_i({start_insn_i.b_stride4, start_insn_i.a_stride4, start_insn_i.dst_stride4, start_insn_i.count4,
                start_insn_i.b_stride3, start_insn_i.a_stride3, start_insn_i.dst_stride3, start_insn_i.count3,
                start_insn_i.b_stride2, start_insn_i.a_stride2, start_insn_i.dst_stride2, start_insn_i.count2,
                start_insn_i.b_stride1, start_insn_i.a_stride1, start_insn_i.dst_stride1, start_insn_i.count1,
                start_insn_i.b_stride0, start_insn_i.a_stride0, start_insn_i.dst_stride0, start_insn_i.count0}),
    .base_i  ({start_insn_i.b_base, start_insn_i.a_base, start_insn_i.dst_base}),
    .step_i  (step0),
    .index_o (nest_index),
    .zero_o  (nest_zero),
    .last_o  (nest_last)
  );

  always_comb begin
    insn_d            = '0;
    insn_d.index      = start_index_i;
    insn_d.op         = start_insn_i.op;
    insn_d.dst_buffer = start_insn_i.dst_buffer;
    insn_d.a_buffer   = start_insn_i.a_buffer;
    insn_d.b_kind     = start_insn_i.b_kind;
    insn_d.a_offset   = start_insn_i.a_offset;
    insn_d.imm        = start_insn_i.imm;
    insn_d.half       = start_insn_i.half;
    insn_d.shift      = start_insn_i.shift;
    insn_d.out_zero   = start_insn_i.out_zero;
    insn_d.clamp_min  = start_insn_i.clamp_min;
    insn_d.clamp_max  = start_insn_i.clamp_max;
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      insn_q        <= insn_d;
      init_q        <= start_insn_i.init;
      reduce_mask_q <= start_insn_i.reduce_mask;
    end
  end

  // --- stage 1: may it go? ---
  vdla_vector_pkg::step_t step1_q;
  logic [EntryW-1:0]      a1_q, b1_q, par_b_q;
  logic                   par_valid_q, is_scale, needs_par, in_range, go;
  logic [2:0]             par_state_q;  // one-hot: parameter i arrives
  logic                   dst_inside, a_inside, b_inside, fetch_par;
  logic [EntryW-1:0]      bad_b;
  logic [DepthW-1:0]      dst_depth, a_depth;

  always_comb begin
    step0_d       = insn_q;
    step0_d.dst   = nest_index[0 +: EntryW];
    step0_d.first = init_q && (reduce_mask_q & ~nest_zero) == '0;
    step0_d.last  = nest_last;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q    <= 1'b0;
      begin_q     <= 1'b0;
      valid1_q    <= 1'b0;
      par_valid_q <= 1'b0;
      par_state_q <= '0;
    end else begin
      if (start) active_q <= 1'b1;
      else if (insn_last) active_q <= 1'b0;
      if (start) begin_q <= 1'b1;
      else if (step0) begin_q <= 1'b0;
      if (step0) valid1_q <= 1'b1;
      else if (go) valid1_q <= 1'b0;
      // parameters are read anew for each instruction: load may have written others
      if (step0 && begin_q) par_valid_q <= 1'b0;
      else if (par_state_q[2]) par_valid_q <= 1'b1;
      else if (fetch_par) par_valid_q <= 1'b0;
      par_state_q <= {par_state_q[1:0], fetch_par};
    end
  end

  always_ff @(posedge clk_i) begin
    if (step0) begin
      step1_q <= step0_d;
      a1_q    <= nest_index[EntryW +: EntryW];
      b1_q    <= nest_index[2*EntryW +: EntryW];
    end
    if (fetch_par) par_b_q <= b1_q;
  end

  function automatic logic [DepthW-1:0] depth_of(input logic [BufferW-1:0] buffer);
    case (buffer)
      vdla_isa_pkg::BufferAcc: depth_of = DepthW'(AccDepth);
      vdla_isa_pkg::BufferInp: depth_of = DepthW'(InpDepth);
      default:                 depth_of = DepthW'(OutDepth);
    endcase
  endfunction

  logic [EntryW-1:0] b1_plus_1, b1_plus_2;
  assign b1_plus_1  = b1_q + EntryW'(1);
  assign b1_plus_2  = b1_q + EntryW'(2);
  assign is_scale   = step1_q.op == vdla_isa_pkg::VectorOpScale;
  assign needs_par  = step1_q.b_kind == vdla_isa_pkg::VectorBPar;
  assign dst_depth  = depth_of(step1_q.dst_buffer);
  assign a_depth    = depth_of(step1_q.a_buffer);
  assign dst_inside = {1'b0, step1_q.dst} < dst_depth;
  assign a_inside   = {1'b0, a1_q} < a_depth;
  always_comb begin
    bad_b    = b1_q;
    b_inside = {1'b0, b1_q} < DepthW'(ParDepth);
    if (b_inside && is_scale) begin
      bad_b    = {1'b0, b1_plus_1} < DepthW'(ParDepth) ? b1_plus_2 : b1_plus_1;
      b_inside = {1'b0, b1_plus_1} < DepthW'(ParDepth) && {1'b0, b1_plus_2} < DepthW'(ParDepth);
    end
    if (!needs_par) b_inside = 1'b1;
  end
  assign in_range = dst_inside && a_inside && b_inside;

  assign err_valid_o = valid1_q && !in_range && !halt_i;
  assign err_insn_o  = step1_q.index;
  assign err_addr_o  = {{(AddrW-EntryW){1'b0}}, !dst_inside ? step1_q.dst : (!a_inside ? a1_q : bad_b)};

  // The three parameters of scale are read when they change, once no step in the pipeline uses the old ones.
  logic scale_ready;
  assign scale_ready = !is_scale || (par_valid_q && par_b_q == b1_q);
  assign fetch_par   = valid1_q && in_range && !scale_ready && par_state_q == 3'd0 && empty_i && !halt_i;
  assign take_bias_o       = par_state_q[0];
  assign take_multiplier_o = par_state_q[1];
  assign take_shift_o      = par_state_q[2];
  assign par_re_o          = fetch_par || par_state_q[0] || par_state_q[1] || (go && needs_par && !is_scale);
  assign par_addr_o        = ParAW'(par_state_q[0] ? b1_plus_1 : (par_state_q[1] ? b1_plus_2 : b1_q));

  assign a_want_o     = valid1_q && in_range && scale_ready && !hazard_i;
  assign go           = a_want_o && a_grant_i && advance_i;
  assign ready1       = !valid1_q || go;
  assign go_o         = go;
  assign step_o       = step1_q;
  assign a_o          = a1_q;
  assign active_o     = active_q || valid1_q;
  assign port_stall_o = a_want_o && !a_grant_i;

  logic unused;
  assign unused = ^start_insn_i;  // fields of the front, reserved ones

endmodule
