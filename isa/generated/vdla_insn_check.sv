// SPDX-License-Identifier: Apache-2.0
// Says whether an instruction word is legal, and which rule it breaks. Combinational.
// Generated from isa/spec by vdla-isagen; do not edit.

module vdla_insn_check #(
  parameter int unsigned BlockIn = 16,
  parameter int unsigned BlockOut = 16,
  parameter int unsigned InpDepth = 2048,
  parameter int unsigned WgtDepth = 128,
  parameter int unsigned AccDepth = 2048,
  parameter int unsigned OutDepth = 512,
  parameter int unsigned ParDepth = 128,
  parameter int unsigned UopDepth = 4096
) (
  input  logic         valid_i,   // 0: nothing is checked (simulation saves the work), the answer is legal
  input  logic [511:0] insn_i,
  output logic         illegal_o,
  output logic [7:0]   rule_o     // number of the lowest broken rule, 0 when legal
);

  localparam integer Rules = 70;
  localparam logic signed [33:0] BlockInS = 34'(BlockIn);
  localparam logic signed [33:0] BlockOutS = 34'(BlockOut);
  localparam logic signed [33:0] InpDepthS = 34'(InpDepth);
  localparam logic signed [33:0] WgtDepthS = 34'(WgtDepth);
  localparam logic signed [33:0] AccDepthS = 34'(AccDepth);
  localparam logic signed [33:0] OutDepthS = 34'(OutDepth);
  localparam logic signed [33:0] ParDepthS = 34'(ParDepth);
  localparam logic signed [33:0] UopDepthS = 34'(UopDepth);

  logic [3:0] opcode;
  assign opcode = insn_i[3:0];
  logic is_load;
  assign is_load = opcode == 4'd1;
  logic is_store;
  assign is_store = opcode == 4'd2;
  logic is_gemm;
  assign is_gemm = opcode == 4'd3;
  logic is_vector;
  assign is_vector = opcode == 4'd4;
  logic is_finish;
  assign is_finish = opcode == 4'd5;

  logic [Rules:0] broken;
  always_comb begin
    broken = '0;
    rule_o = 8'd0;
    if (valid_i) begin
      // opcode: the opcode is one of the table
      broken[1] = !(is_load || is_store || is_gemm || is_vector || is_finish);
      // reserved: bits outside the opcode's fields are zero
      broken[2] = 
          (is_load && |(insn_i & 512'hffffffffffffffff_ffffffffffffffff_ffff000000000000_0000000000000000_0000000000000000_0000000000000000_0000000000000000_ffffe00000000000)) ||
          (is_store && |(insn_i & 512'hffffffffffffffff_ffffffffffffffff_ffff000000000000_0000000000000000_0000000000000000_0000000000000000_0000000000000000_ffffe00000000000)) ||
          (is_gemm && |(insn_i & 512'hffffffffffffffff_0000000000000000_0000000000000000_0000000000000000_0000000000000000_0000000000000000_ffff000000000000_fff8000000000000)) ||
          (is_vector && |(insn_i & 512'h0000000000000000_0000000000000000_0000000000000000_0000000000000000_0000000000000000_0000000000000000_0000000000000000_ffc0000000000000)) ||
          (is_finish && |(insn_i & 512'hffffffffffffffff_ffffffffffffffff_ffffffffffffffff_ffffffffffffffff_ffffffffffffffff_ffffffffffffffff_ffffffffffffffff_fffff00000000000));
      // load_own_pop: load pops no token from itself
      broken[3] = is_load && !(
          ($signed({33'd0, insn_i[4]}) == 34'sd0));
      // load_own_push: load pushes no token to itself
      broken[4] = is_load && !(
          ($signed({33'd0, insn_i[8]}) == 34'sd0));
      // store_own_pop: store pops no token from itself
      broken[5] = is_store && !(
          ($signed({33'd0, insn_i[7]}) == 34'sd0));
      // store_own_push: store pushes no token to itself
      broken[6] = is_store && !(
          ($signed({33'd0, insn_i[11]}) == 34'sd0));
      // gemm_own_pop: gemm pops no token from itself
      broken[7] = is_gemm && !(
          ($signed({33'd0, insn_i[5]}) == 34'sd0));
      // gemm_own_push: gemm pushes no token to itself
      broken[8] = is_gemm && !(
          ($signed({33'd0, insn_i[9]}) == 34'sd0));
      // vector_own_pop: vector pops no token from itself
      broken[9] = is_vector && !(
          ($signed({33'd0, insn_i[6]}) == 34'sd0));
      // vector_own_push: vector pushes no token to itself
      broken[10] = is_vector && !(
          ($signed({33'd0, insn_i[10]}) == 34'sd0));
      // finish_tokens: finish has no tokens: it waits for all units
      broken[11] = is_finish && !(
          ($signed({30'd0, insn_i[7:4]}) + $signed({30'd0, insn_i[11:8]}) == 34'sd0));
      // load_buffer: load writes inp, wgt, out, par or uop
      broken[12] = is_load && !(
          ($signed({30'd0, insn_i[15:12]}) == 34'sd0) ||
          ($signed({30'd0, insn_i[15:12]}) == 34'sd1) ||
          ($signed({30'd0, insn_i[15:12]}) == 34'sd3) ||
          ($signed({30'd0, insn_i[15:12]}) == 34'sd4) ||
          ($signed({30'd0, insn_i[15:12]}) == 34'sd5));
      // load_window_known: the window is one of the table
      broken[13] = is_load && !(
          ($signed({30'd0, insn_i[19:16]}) <= 34'sd7));
      // load_window: load reads any window but insn
      broken[14] = is_load && !(
          ($signed({30'd0, insn_i[19:16]}) != 34'sd0));
      // load_widen: only par is widened
      broken[15] = is_load && !(
          ($signed({33'd0, insn_i[20]}) == 34'sd0) ||
          ($signed({30'd0, insn_i[15:12]}) == 34'sd4));
      // load_run: run is at least 1
      broken[16] = is_load && !(
          ($signed({18'd0, insn_i[127:112]}) >= 34'sd1));
      // load_x: x_pad_before + x_count + x_pad_after is at least 1
      broken[17] = is_load && !(
          ($signed({18'd0, insn_i[319:304]}) + $signed({18'd0, insn_i[143:128]}) + $signed({18'd0, insn_i[335:320]}) >= 34'sd1));
      // load_y: y_pad_before + y_count + y_pad_after is at least 1
      broken[18] = is_load && !(
          ($signed({18'd0, insn_i[351:336]}) + $signed({18'd0, insn_i[159:144]}) + $signed({18'd0, insn_i[367:352]}) >= 34'sd1));
      // load_z: z_count is at least 1
      broken[19] = is_load && !(
          ($signed({18'd0, insn_i[175:160]}) >= 34'sd1));
      // load_base_inp: sram_base is inside inp
      broken[20] = is_load && !(
          ($signed({30'd0, insn_i[15:12]}) != 34'sd0) ||
          ($signed({18'd0, insn_i[44:29]}) < InpDepthS));
      // load_base_wgt: sram_base is inside wgt
      broken[21] = is_load && !(
          ($signed({30'd0, insn_i[15:12]}) != 34'sd1) ||
          ($signed({18'd0, insn_i[44:29]}) < WgtDepthS));
      // load_base_out: sram_base is inside out
      broken[22] = is_load && !(
          ($signed({30'd0, insn_i[15:12]}) != 34'sd3) ||
          ($signed({18'd0, insn_i[44:29]}) < OutDepthS));
      // load_base_par: sram_base is inside par
      broken[23] = is_load && !(
          ($signed({30'd0, insn_i[15:12]}) != 34'sd4) ||
          ($signed({18'd0, insn_i[44:29]}) < ParDepthS));
      // load_base_uop: sram_base is inside uop
      broken[24] = is_load && !(
          ($signed({30'd0, insn_i[15:12]}) != 34'sd5) ||
          ($signed({18'd0, insn_i[44:29]}) < UopDepthS));
      // store_buffer: store reads out
      broken[25] = is_store && !(
          ($signed({30'd0, insn_i[15:12]}) == 34'sd3));
      // store_window: store writes act, output, spare0 or spare1
      broken[26] = is_store && !(
          ($signed({30'd0, insn_i[19:16]}) == 34'sd3) ||
          ($signed({30'd0, insn_i[19:16]}) == 34'sd5) ||
          ($signed({30'd0, insn_i[19:16]}) == 34'sd6) ||
          ($signed({30'd0, insn_i[19:16]}) == 34'sd7));
      // store_plain: store has no widening and no pad value
      broken[27] = is_store && !(
          ($signed({33'd0, insn_i[20]}) + $signed({{26{insn_i[28]}}, insn_i[28:21]}) == 34'sd0));
      // store_x_pad: store has no padding along x
      broken[28] = is_store && !(
          ($signed({18'd0, insn_i[319:304]}) + $signed({18'd0, insn_i[335:320]}) == 34'sd0));
      // store_y_pad: store has no padding along y
      broken[29] = is_store && !(
          ($signed({18'd0, insn_i[351:336]}) + $signed({18'd0, insn_i[367:352]}) == 34'sd0));
      // store_run: run is at least 1
      broken[30] = is_store && !(
          ($signed({18'd0, insn_i[127:112]}) >= 34'sd1));
      // store_x: x_count is at least 1
      broken[31] = is_store && !(
          ($signed({18'd0, insn_i[143:128]}) >= 34'sd1));
      // store_y: y_count is at least 1
      broken[32] = is_store && !(
          ($signed({18'd0, insn_i[159:144]}) >= 34'sd1));
      // store_z: z_count is at least 1
      broken[33] = is_store && !(
          ($signed({18'd0, insn_i[175:160]}) >= 34'sd1));
      // store_base: sram_base is inside out
      broken[34] = is_store && !(
          ($signed({18'd0, insn_i[44:29]}) < OutDepthS));
      // gemm_count0: count0 is at least 1
      broken[35] = is_gemm && !(
          ($signed({18'd0, insn_i[143:128]}) >= 34'sd1));
      // gemm_count1: count1 is at least 1
      broken[36] = is_gemm && !(
          ($signed({18'd0, insn_i[207:192]}) >= 34'sd1));
      // gemm_count2: count2 is at least 1
      broken[37] = is_gemm && !(
          ($signed({18'd0, insn_i[271:256]}) >= 34'sd1));
      // gemm_count3: count3 is at least 1
      broken[38] = is_gemm && !(
          ($signed({18'd0, insn_i[335:320]}) >= 34'sd1));
      // gemm_count4: count4 is at least 1
      broken[39] = is_gemm && !(
          ($signed({18'd0, insn_i[399:384]}) >= 34'sd1));
      // gemm_uop_count: uop_count is at least 1
      broken[40] = is_gemm && !(
          ($signed({18'd0, insn_i[50:35]}) >= 34'sd1));
      // gemm_uops: the micro-ops are inside uop
      broken[41] = is_gemm && !(
          ($signed({18'd0, insn_i[34:19]}) + $signed({18'd0, insn_i[50:35]}) <= UopDepthS));
      // gemm_acc_base: acc_base is inside acc
      broken[42] = is_gemm && !(
          ($signed({18'd0, insn_i[79:64]}) < AccDepthS));
      // gemm_inp_base: inp_base is inside inp
      broken[43] = is_gemm && !(
          ($signed({18'd0, insn_i[95:80]}) < InpDepthS));
      // gemm_wgt_base: wgt_base is inside wgt
      broken[44] = is_gemm && !(
          ($signed({18'd0, insn_i[111:96]}) < WgtDepthS));
      // vector_op: the operation is one of the table
      broken[45] = is_vector && !(
          ($signed({30'd0, insn_i[15:12]}) <= 34'sd6));
      // vector_dst: the result goes to acc, inp or out
      broken[46] = is_vector && !(
          ($signed({30'd0, insn_i[19:16]}) == 34'sd2) ||
          ($signed({30'd0, insn_i[19:16]}) == 34'sd0) ||
          ($signed({30'd0, insn_i[19:16]}) == 34'sd3));
      // vector_a: operand a comes from acc, inp or out
      broken[47] = is_vector && !(
          ($signed({30'd0, insn_i[23:20]}) == 34'sd2) ||
          ($signed({30'd0, insn_i[23:20]}) == 34'sd0) ||
          ($signed({30'd0, insn_i[23:20]}) == 34'sd3));
      // vector_b: operand b is one of the table
      broken[48] = is_vector && !(
          ($signed({32'd0, insn_i[25:24]}) <= 34'sd2));
      // vector_count0: count0 is at least 1
      broken[49] = is_vector && !(
          ($signed({18'd0, insn_i[207:192]}) >= 34'sd1));
      // vector_count1: count1 is at least 1
      broken[50] = is_vector && !(
          ($signed({18'd0, insn_i[271:256]}) >= 34'sd1));
      // vector_count2: count2 is at least 1
      broken[51] = is_vector && !(
          ($signed({18'd0, insn_i[335:320]}) >= 34'sd1));
      // vector_count3: count3 is at least 1
      broken[52] = is_vector && !(
          ($signed({18'd0, insn_i[399:384]}) >= 34'sd1));
      // vector_count4: count4 is at least 1
      broken[53] = is_vector && !(
          ($signed({18'd0, insn_i[463:448]}) >= 34'sd1));
      // vector_int8_init: an int8 result does not accumulate: init is set
      broken[54] = is_vector && !(
          ($signed({30'd0, insn_i[19:16]}) == 34'sd2) ||
          ($signed({33'd0, insn_i[26]}) == 34'sd1));
      // vector_int8_mask: an int8 result does not accumulate: reduce_mask is zero
      broken[55] = is_vector && !(
          ($signed({30'd0, insn_i[19:16]}) == 34'sd2) ||
          ($signed({29'd0, insn_i[31:27]}) == 34'sd0));
      // vector_clamp: clamp_min is not above clamp_max
      broken[56] = is_vector && !(
          ($signed({30'd0, insn_i[19:16]}) == 34'sd2) ||
          ($signed({{26{insn_i[183]}}, insn_i[183:176]}) <= $signed({{26{insn_i[191]}}, insn_i[191:184]})));
      // vector_dst_square: a result in inp needs block_in equal to block_out
      broken[57] = is_vector && !(
          ($signed({30'd0, insn_i[19:16]}) != 34'sd0) ||
          (BlockInS == BlockOutS));
      // vector_a_square: operand a from inp needs block_in equal to block_out, but for hsum
      broken[58] = is_vector && !(
          ($signed({30'd0, insn_i[23:20]}) != 34'sd0) ||
          ($signed({30'd0, insn_i[15:12]}) == 34'sd6) ||
          (BlockInS == BlockOutS));
      // vector_hsum_a: hsum takes operand a from inp
      broken[59] = is_vector && !(
          ($signed({30'd0, insn_i[15:12]}) != 34'sd6) ||
          ($signed({30'd0, insn_i[23:20]}) == 34'sd0));
      // vector_scale_b: scale takes its parameters from par
      broken[60] = is_vector && !(
          ($signed({30'd0, insn_i[15:12]}) != 34'sd0) ||
          ($signed({32'd0, insn_i[25:24]}) == 34'sd1));
      // vector_avg_b: avg has no operand b
      broken[61] = is_vector && !(
          ($signed({30'd0, insn_i[15:12]}) != 34'sd5) ||
          ($signed({32'd0, insn_i[25:24]}) == 34'sd0));
      // vector_avg_only: shift and half are zero but for avg
      broken[62] = is_vector && !(
          ($signed({30'd0, insn_i[15:12]}) == 34'sd5) ||
          ($signed({28'd0, insn_i[37:32]}) + $signed({18'd0, insn_i[53:38]}) == 34'sd0));
      // vector_dst_base_acc: dst_base is inside acc
      broken[63] = is_vector && !(
          ($signed({30'd0, insn_i[19:16]}) != 34'sd2) ||
          ($signed({18'd0, insn_i[79:64]}) < AccDepthS));
      // vector_dst_base_inp: dst_base is inside inp
      broken[64] = is_vector && !(
          ($signed({30'd0, insn_i[19:16]}) != 34'sd0) ||
          ($signed({18'd0, insn_i[79:64]}) < InpDepthS));
      // vector_dst_base_out: dst_base is inside out
      broken[65] = is_vector && !(
          ($signed({30'd0, insn_i[19:16]}) != 34'sd3) ||
          ($signed({18'd0, insn_i[79:64]}) < OutDepthS));
      // vector_a_base_acc: a_base is inside acc
      broken[66] = is_vector && !(
          ($signed({30'd0, insn_i[23:20]}) != 34'sd2) ||
          ($signed({18'd0, insn_i[95:80]}) < AccDepthS));
      // vector_a_base_inp: a_base is inside inp
      broken[67] = is_vector && !(
          ($signed({30'd0, insn_i[23:20]}) != 34'sd0) ||
          ($signed({18'd0, insn_i[95:80]}) < InpDepthS));
      // vector_a_base_out: a_base is inside out
      broken[68] = is_vector && !(
          ($signed({30'd0, insn_i[23:20]}) != 34'sd3) ||
          ($signed({18'd0, insn_i[95:80]}) < OutDepthS));
      // vector_b_base: b_base is inside par
      broken[69] = is_vector && !(
          ($signed({32'd0, insn_i[25:24]}) != 34'sd1) ||
          ($signed({18'd0, insn_i[111:96]}) < ParDepthS));
      // vector_scale_base: the three parameters of scale are inside par
      broken[70] = is_vector && !(
          ($signed({30'd0, insn_i[15:12]}) != 34'sd0) ||
          ($signed({18'd0, insn_i[111:96]}) + 34'sd2 < ParDepthS));
      for (int i = Rules; i > 0; i = i - 1) if (broken[i]) rule_o = i[7:0];
    end
  end
  assign illegal_o = |broken;

endmodule
