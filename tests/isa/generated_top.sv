// SPDX-License-Identifier: Apache-2.0
// The generated modules side by side, for the test against the definition. The geometry is none of the kit's variants.
module generated_top (
  input  logic         clk_i,
  input  logic         rst_i,
  input  logic [511:0] insn_i,
  output logic         illegal_o,
  output logic [7:0]   rule_o,
  input  logic         wr_en_i,
  input  logic [8:0]   wr_addr_i,
  input  logic [31:0]  wr_data_i,
  input  logic [3:0]   wr_strb_i,
  input  logic [8:0]   rd_addr_i,
  output logic [31:0]  rd_data_o,
  output logic [31:0]  control_o,
  input  logic [31:0]  irq_status_set_i,
  input  logic [63:0]  cycles_i,
  input  logic [31:0]  status_i,
  output logic [511:0] window_size_o
);
  vdla_insn_check #(
    .InpDepth(64), .WgtDepth(32), .AccDepth(128), .OutDepth(256), .ParDepth(16), .UopDepth(512), .BlockIn(16), .BlockOut(8)
  ) u_check (
    .valid_i(1'b1), .insn_i(insn_i), .illegal_o(illegal_o), .rule_o(rule_o)
  );

  /* verilator lint_off PINCONNECTEMPTY */
  vdla_regs #(.GeometryHash(64'h0123456789abcdef)) u_regs (
    .clk_i(clk_i), .rst_i(rst_i),
    .wr_en_i(wr_en_i), .wr_addr_i(wr_addr_i), .wr_data_i(wr_data_i), .wr_strb_i(wr_strb_i),
    .rd_addr_i(rd_addr_i), .rd_data_o(rd_data_o),
    .control_o(control_o), .status_i(status_i), .irq_status_set_i(irq_status_set_i), .irq_status_o(),
    .sequence_i(32'd1), .insn_offset_o(), .insn_count_o(), .stall_limit_o(),
    .error_code_i(32'd2), .error_unit_i(32'd3), .error_insn_i(32'd4), .error_addr_i(64'h5_0000_0006),
    .load_insn_i(32'd0), .load_state_i(32'd0), .gemm_insn_i(32'd0), .gemm_state_i(32'd0),
    .vector_insn_i(32'd0), .vector_state_i(32'd0), .store_insn_i(32'd0), .store_state_i(32'd0),
    .fetch_insn_i(32'd0), .fetch_state_i(32'd0),
    .cycles_i(cycles_i), .read_bytes_i(64'd0), .write_bytes_i(64'd0),
    .load_busy_i(32'd0), .load_token_stall_i(32'd0), .gemm_busy_i(32'd0), .gemm_token_stall_i(32'd0),
    .vector_busy_i(32'd0), .vector_token_stall_i(32'd0), .store_busy_i(32'd0), .store_token_stall_i(32'd0),
    .window_base_o(), .window_size_o(window_size_o)
  );
  /* verilator lint_on PINCONNECTEMPTY */
endmodule
