// SPDX-License-Identifier: Apache-2.0
// The generated modules side by side, for the test against the definition. The geometry is none of the kit's variants.
// What the register file reads from the machine lies in values_i at the register's byte offset.
module generated_top (
  input  logic          clk_i,
  input  logic          rst_i,
  input  logic [511:0]  insn_i,
  output logic          illegal_o,
  output logic [7:0]    rule_o,
  input  logic          wr_en_i,
  input  logic [8:0]    wr_addr_i,
  input  logic [31:0]   wr_data_i,
  input  logic [3:0]    wr_strb_i,
  input  logic [8:0]    rd_addr_i,
  output logic [31:0]   rd_data_o,
  input  logic [4095:0] values_i,
  input  logic [31:0]   irq_status_set_i,
  output logic [31:0]   control_o,
  output logic [31:0]   irq_status_o,
  output logic [31:0]   insn_offset_o,
  output logic [31:0]   insn_count_o,
  output logic [31:0]   stall_limit_o,
  output logic [511:0]  window_base_o,
  output logic [511:0]  window_size_o
);
  vdla_insn_check #(
    .InpDepth(64), .WgtDepth(32), .AccDepth(128), .OutDepth(256), .ParDepth(16), .UopDepth(512), .BlockIn(16), .BlockOut(8)
  ) u_check (
    .valid_i(1'b1), .insn_i(insn_i), .illegal_o(illegal_o), .rule_o(rule_o)
  );

  vdla_regs #(
    // isagen geometry register values
    .GeometryBatch     (32'hb0000190),
    .GeometryBlockIn   (32'hb0000194),
    .GeometryBlockOut  (32'hb0000198),
    .GeometryInpDepth  (32'hb000019c),
    .GeometryWgtDepth  (32'hb00001a0),
    .GeometryAccDepth  (32'hb00001a4),
    .GeometryOutDepth  (32'hb00001a8),
    .GeometryParDepth  (32'hb00001ac),
    .GeometryUopDepth  (32'hb00001b0),
    .GeometryQueueDepth(32'hb00001b4),
    .GeometryTokenDepth(32'hb00001b8),
    // end isagen
    .GeometryHash(64'h0123456789abcdef), .BuildId(32'hb0000180), .ClockKhz(32'hb0000184), .AddressBits(32'hb0000188)
  ) u_regs (
    .clk_i(clk_i), .rst_i(rst_i),
    .wr_en_i(wr_en_i), .wr_addr_i(wr_addr_i), .wr_data_i(wr_data_i), .wr_strb_i(wr_strb_i),
    .rd_addr_i(rd_addr_i), .rd_data_o(rd_data_o),
    .control_o(control_o), .irq_status_set_i(irq_status_set_i), .irq_status_o(irq_status_o),
    .insn_offset_o(insn_offset_o), .insn_count_o(insn_count_o), .stall_limit_o(stall_limit_o),
    .status_i(values_i['h014*8 +: 32]), .sequence_i(values_i['h01c*8 +: 32]),
    .error_code_i(values_i['h030*8 +: 32]), .error_unit_i(values_i['h034*8 +: 32]), .error_insn_i(values_i['h038*8 +: 32]),
    .error_addr_i(values_i['h03c*8 +: 64]),
    .load_insn_i(values_i['h050*8 +: 32]), .load_state_i(values_i['h054*8 +: 32]),
    .gemm_insn_i(values_i['h058*8 +: 32]), .gemm_state_i(values_i['h05c*8 +: 32]),
    .vector_insn_i(values_i['h060*8 +: 32]), .vector_state_i(values_i['h064*8 +: 32]),
    .store_insn_i(values_i['h068*8 +: 32]), .store_state_i(values_i['h06c*8 +: 32]),
    .fetch_insn_i(values_i['h070*8 +: 32]), .fetch_state_i(values_i['h074*8 +: 32]),
    .cycles_i(values_i['h080*8 +: 64]), .read_bytes_i(values_i['h088*8 +: 64]), .write_bytes_i(values_i['h090*8 +: 64]),
    .load_busy_i(values_i['h0a0*8 +: 32]), .load_token_stall_i(values_i['h0a4*8 +: 32]),
    .gemm_busy_i(values_i['h0a8*8 +: 32]), .gemm_token_stall_i(values_i['h0ac*8 +: 32]),
    .vector_busy_i(values_i['h0b0*8 +: 32]), .vector_token_stall_i(values_i['h0b4*8 +: 32]),
    .store_busy_i(values_i['h0b8*8 +: 32]), .store_token_stall_i(values_i['h0bc*8 +: 32]),
    .load_since_i(values_i['h0c0*8 +: 32]), .gemm_since_i(values_i['h0c8*8 +: 32]), .vector_since_i(values_i['h0d0*8 +: 32]),
    .store_since_i(values_i['h0d8*8 +: 32]), .fetch_since_i(values_i['h0e0*8 +: 32]),
    .window_base_o(window_base_o), .window_size_o(window_size_o)
  );

  logic unused;
  assign unused = ^values_i;
endmodule
