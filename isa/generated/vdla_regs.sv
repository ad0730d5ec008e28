// SPDX-License-Identifier: Apache-2.0
// The register map: storage of what the driver writes, multiplexer of what it reads.
// Generated from isa/spec by vdla-isagen; do not edit.

// A read-write register keeps what was written; some ignore writes while status_i says busy. control: start and soft
// reset are high for the one cycle after the write and read as 0. irq_status: a bit is set from *_set_i and cleared by
// writing 1; setting wins. Reads are combinational. Window w of window_base_o and window_size_o is bits [64*w +: 64].
module vdla_regs #(
  parameter logic [63:0] GeometryHash = 64'd0,
  parameter logic [31:0] BuildId = 32'd0,
  parameter logic [31:0] ClockKhz = 32'd0,
  parameter logic [31:0] AddressBits = 32'd0,
  parameter logic [31:0] GeometryBatch = 32'd0,
  parameter logic [31:0] GeometryBlockIn = 32'd0,
  parameter logic [31:0] GeometryBlockOut = 32'd0,
  parameter logic [31:0] GeometryInpDepth = 32'd0,
  parameter logic [31:0] GeometryWgtDepth = 32'd0,
  parameter logic [31:0] GeometryAccDepth = 32'd0,
  parameter logic [31:0] GeometryOutDepth = 32'd0,
  parameter logic [31:0] GeometryParDepth = 32'd0,
  parameter logic [31:0] GeometryUopDepth = 32'd0,
  parameter logic [31:0] GeometryQueueDepth = 32'd0,
  parameter logic [31:0] GeometryTokenDepth = 32'd0
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        wr_en_i,
  input  logic [8:0]  wr_addr_i,   // byte offset, a multiple of 4
  input  logic [31:0] wr_data_i,
  input  logic [3:0]  wr_strb_i,
  input  logic [8:0]  rd_addr_i,
  output logic [31:0] rd_data_o,
  output logic [31:0] control_o,
  input  logic [31:0] status_i,
  input  logic [31:0] irq_status_set_i,
  output logic [31:0] irq_status_o,
  input  logic [31:0] sequence_i,
  output logic [31:0] insn_offset_o,
  output logic [31:0] insn_count_o,
  output logic [31:0] stall_limit_o,
  input  logic [31:0] error_code_i,
  input  logic [31:0] error_unit_i,
  input  logic [31:0] error_insn_i,
  input  logic [63:0] error_addr_i,
  input  logic [31:0] load_insn_i,
  input  logic [31:0] load_state_i,
  input  logic [31:0] gemm_insn_i,
  input  logic [31:0] gemm_state_i,
  input  logic [31:0] vector_insn_i,
  input  logic [31:0] vector_state_i,
  input  logic [31:0] store_insn_i,
  input  logic [31:0] store_state_i,
  input  logic [31:0] fetch_insn_i,
  input  logic [31:0] fetch_state_i,
  input  logic [63:0] cycles_i,
  input  logic [63:0] read_bytes_i,
  input  logic [63:0] write_bytes_i,
  input  logic [31:0] load_busy_i,
  input  logic [31:0] load_token_stall_i,
  input  logic [31:0] gemm_busy_i,
  input  logic [31:0] gemm_token_stall_i,
  input  logic [31:0] vector_busy_i,
  input  logic [31:0] vector_token_stall_i,
  input  logic [31:0] store_busy_i,
  input  logic [31:0] store_token_stall_i,
  input  logic [31:0] load_since_i,
  input  logic [31:0] gemm_since_i,
  input  logic [31:0] vector_since_i,
  input  logic [31:0] store_since_i,
  input  logic [31:0] fetch_since_i,
  output logic [511:0] window_base_o,
  output logic [511:0] window_size_o
);

  localparam logic [31:0] ControlPulse = vdla_isa_pkg::ControlStart | vdla_isa_pkg::ControlSoftReset;

  logic        busy;
  logic [31:0] mask;
  assign busy = (status_i & vdla_isa_pkg::StatusBusy) != '0;
  assign mask = {{8{wr_strb_i[3]}}, {8{wr_strb_i[2]}}, {8{wr_strb_i[1]}}, {8{wr_strb_i[0]}}};

  logic [31:0] control_q;
  assign control_o = control_q;
  logic [31:0] irq_status_q;
  assign irq_status_o = irq_status_q;
  logic [31:0] insn_offset_q;
  assign insn_offset_o = insn_offset_q;
  logic [31:0] insn_count_q;
  assign insn_count_o = insn_count_q;
  logic [31:0] stall_limit_q;
  assign stall_limit_o = stall_limit_q;
  logic [511:0] window_base_q;
  assign window_base_o = window_base_q;
  logic [511:0] window_size_q;
  assign window_size_o = window_size_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      control_q <= 32'd0;
      irq_status_q <= 32'd0;
      insn_offset_q <= 32'd0;
      insn_count_q <= 32'd0;
      stall_limit_q <= 32'd0;
      window_base_q <= 512'd0;
      window_size_q <= 512'd0;
    end else begin
      control_q <= control_q & ~ControlPulse;
      irq_status_q <= (irq_status_q & ~(wr_en_i && wr_addr_i == 9'h018 ? wr_data_i & mask : 32'd0)) | irq_status_set_i;
      if (wr_en_i) case (wr_addr_i)
        9'h010: control_q <= (control_q & ~ControlPulse & ~mask) | (wr_data_i & mask);
        9'h020: if (!busy) insn_offset_q <= (insn_offset_q & ~mask) | (wr_data_i & mask);
        9'h024: if (!busy) insn_count_q <= (insn_count_q & ~mask) | (wr_data_i & mask);
        9'h028: stall_limit_q <= (stall_limit_q & ~mask) | (wr_data_i & mask);
        9'h100: if (!busy) window_base_q[0 +: 32] <= (window_base_q[0 +: 32] & ~mask) | (wr_data_i & mask);
        9'h104: if (!busy) window_base_q[32 +: 32] <= (window_base_q[32 +: 32] & ~mask) | (wr_data_i & mask);
        9'h110: if (!busy) window_base_q[64 +: 32] <= (window_base_q[64 +: 32] & ~mask) | (wr_data_i & mask);
        9'h114: if (!busy) window_base_q[96 +: 32] <= (window_base_q[96 +: 32] & ~mask) | (wr_data_i & mask);
        9'h120: if (!busy) window_base_q[128 +: 32] <= (window_base_q[128 +: 32] & ~mask) | (wr_data_i & mask);
        9'h124: if (!busy) window_base_q[160 +: 32] <= (window_base_q[160 +: 32] & ~mask) | (wr_data_i & mask);
        9'h130: if (!busy) window_base_q[192 +: 32] <= (window_base_q[192 +: 32] & ~mask) | (wr_data_i & mask);
        9'h134: if (!busy) window_base_q[224 +: 32] <= (window_base_q[224 +: 32] & ~mask) | (wr_data_i & mask);
        9'h140: if (!busy) window_base_q[256 +: 32] <= (window_base_q[256 +: 32] & ~mask) | (wr_data_i & mask);
        9'h144: if (!busy) window_base_q[288 +: 32] <= (window_base_q[288 +: 32] & ~mask) | (wr_data_i & mask);
        9'h150: if (!busy) window_base_q[320 +: 32] <= (window_base_q[320 +: 32] & ~mask) | (wr_data_i & mask);
        9'h154: if (!busy) window_base_q[352 +: 32] <= (window_base_q[352 +: 32] & ~mask) | (wr_data_i & mask);
        9'h160: if (!busy) window_base_q[384 +: 32] <= (window_base_q[384 +: 32] & ~mask) | (wr_data_i & mask);
        9'h164: if (!busy) window_base_q[416 +: 32] <= (window_base_q[416 +: 32] & ~mask) | (wr_data_i & mask);
        9'h170: if (!busy) window_base_q[448 +: 32] <= (window_base_q[448 +: 32] & ~mask) | (wr_data_i & mask);
        9'h174: if (!busy) window_base_q[480 +: 32] <= (window_base_q[480 +: 32] & ~mask) | (wr_data_i & mask);
        9'h108: if (!busy) window_size_q[0 +: 32] <= (window_size_q[0 +: 32] & ~mask) | (wr_data_i & mask);
        9'h10c: if (!busy) window_size_q[32 +: 32] <= (window_size_q[32 +: 32] & ~mask) | (wr_data_i & mask);
        9'h118: if (!busy) window_size_q[64 +: 32] <= (window_size_q[64 +: 32] & ~mask) | (wr_data_i & mask);
        9'h11c: if (!busy) window_size_q[96 +: 32] <= (window_size_q[96 +: 32] & ~mask) | (wr_data_i & mask);
        9'h128: if (!busy) window_size_q[128 +: 32] <= (window_size_q[128 +: 32] & ~mask) | (wr_data_i & mask);
        9'h12c: if (!busy) window_size_q[160 +: 32] <= (window_size_q[160 +: 32] & ~mask) | (wr_data_i & mask);
        9'h138: if (!busy) window_size_q[192 +: 32] <= (window_size_q[192 +: 32] & ~mask) | (wr_data_i & mask);
        9'h13c: if (!busy) window_size_q[224 +: 32] <= (window_size_q[224 +: 32] & ~mask) | (wr_data_i & mask);
        9'h148: if (!busy) window_size_q[256 +: 32] <= (window_size_q[256 +: 32] & ~mask) | (wr_data_i & mask);
        9'h14c: if (!busy) window_size_q[288 +: 32] <= (window_size_q[288 +: 32] & ~mask) | (wr_data_i & mask);
        9'h158: if (!busy) window_size_q[320 +: 32] <= (window_size_q[320 +: 32] & ~mask) | (wr_data_i & mask);
        9'h15c: if (!busy) window_size_q[352 +: 32] <= (window_size_q[352 +: 32] & ~mask) | (wr_data_i & mask);
        9'h168: if (!busy) window_size_q[384 +: 32] <= (window_size_q[384 +: 32] & ~mask) | (wr_data_i & mask);
        9'h16c: if (!busy) window_size_q[416 +: 32] <= (window_size_q[416 +: 32] & ~mask) | (wr_data_i & mask);
        9'h178: if (!busy) window_size_q[448 +: 32] <= (window_size_q[448 +: 32] & ~mask) | (wr_data_i & mask);
        9'h17c: if (!busy) window_size_q[480 +: 32] <= (window_size_q[480 +: 32] & ~mask) | (wr_data_i & mask);
        default: ;
      endcase
    end
  end

  always_comb begin
    case (rd_addr_i)
      9'h000: rd_data_o = vdla_isa_pkg::Magic;
      9'h004: rd_data_o = vdla_isa_pkg::IsaVersion;
      9'h008: rd_data_o = GeometryHash[0 +: 32];
      9'h00c: rd_data_o = GeometryHash[32 +: 32];
      9'h010: rd_data_o = control_q & ~ControlPulse;
      9'h014: rd_data_o = status_i;
      9'h018: rd_data_o = irq_status_q;
      9'h01c: rd_data_o = sequence_i;
      9'h020: rd_data_o = insn_offset_q;
      9'h024: rd_data_o = insn_count_q;
      9'h028: rd_data_o = stall_limit_q;
      9'h030: rd_data_o = error_code_i;
      9'h034: rd_data_o = error_unit_i;
      9'h038: rd_data_o = error_insn_i;
      9'h03c: rd_data_o = error_addr_i[0 +: 32];
      9'h040: rd_data_o = error_addr_i[32 +: 32];
      9'h050: rd_data_o = load_insn_i;
      9'h054: rd_data_o = load_state_i;
      9'h058: rd_data_o = gemm_insn_i;
      9'h05c: rd_data_o = gemm_state_i;
      9'h060: rd_data_o = vector_insn_i;
      9'h064: rd_data_o = vector_state_i;
      9'h068: rd_data_o = store_insn_i;
      9'h06c: rd_data_o = store_state_i;
      9'h070: rd_data_o = fetch_insn_i;
      9'h074: rd_data_o = fetch_state_i;
      9'h080: rd_data_o = cycles_i[0 +: 32];
      9'h084: rd_data_o = cycles_i[32 +: 32];
      9'h088: rd_data_o = read_bytes_i[0 +: 32];
      9'h08c: rd_data_o = read_bytes_i[32 +: 32];
      9'h090: rd_data_o = write_bytes_i[0 +: 32];
      9'h094: rd_data_o = write_bytes_i[32 +: 32];
      9'h0a0: rd_data_o = load_busy_i;
      9'h0a4: rd_data_o = load_token_stall_i;
      9'h0a8: rd_data_o = gemm_busy_i;
      9'h0ac: rd_data_o = gemm_token_stall_i;
      9'h0b0: rd_data_o = vector_busy_i;
      9'h0b4: rd_data_o = vector_token_stall_i;
      9'h0b8: rd_data_o = store_busy_i;
      9'h0bc: rd_data_o = store_token_stall_i;
      9'h0c0: rd_data_o = load_since_i;
      9'h0c8: rd_data_o = gemm_since_i;
      9'h0d0: rd_data_o = vector_since_i;
      9'h0d8: rd_data_o = store_since_i;
      9'h0e0: rd_data_o = fetch_since_i;
      9'h100: rd_data_o = window_base_q[0 +: 32];
      9'h104: rd_data_o = window_base_q[32 +: 32];
      9'h110: rd_data_o = window_base_q[64 +: 32];
      9'h114: rd_data_o = window_base_q[96 +: 32];
      9'h120: rd_data_o = window_base_q[128 +: 32];
      9'h124: rd_data_o = window_base_q[160 +: 32];
      9'h130: rd_data_o = window_base_q[192 +: 32];
      9'h134: rd_data_o = window_base_q[224 +: 32];
      9'h140: rd_data_o = window_base_q[256 +: 32];
      9'h144: rd_data_o = window_base_q[288 +: 32];
      9'h150: rd_data_o = window_base_q[320 +: 32];
      9'h154: rd_data_o = window_base_q[352 +: 32];
      9'h160: rd_data_o = window_base_q[384 +: 32];
      9'h164: rd_data_o = window_base_q[416 +: 32];
      9'h170: rd_data_o = window_base_q[448 +: 32];
      9'h174: rd_data_o = window_base_q[480 +: 32];
      9'h108: rd_data_o = window_size_q[0 +: 32];
      9'h10c: rd_data_o = window_size_q[32 +: 32];
      9'h118: rd_data_o = window_size_q[64 +: 32];
      9'h11c: rd_data_o = window_size_q[96 +: 32];
      9'h128: rd_data_o = window_size_q[128 +: 32];
      9'h12c: rd_data_o = window_size_q[160 +: 32];
      9'h138: rd_data_o = window_size_q[192 +: 32];
      9'h13c: rd_data_o = window_size_q[224 +: 32];
      9'h148: rd_data_o = window_size_q[256 +: 32];
      9'h14c: rd_data_o = window_size_q[288 +: 32];
      9'h158: rd_data_o = window_size_q[320 +: 32];
      9'h15c: rd_data_o = window_size_q[352 +: 32];
      9'h168: rd_data_o = window_size_q[384 +: 32];
      9'h16c: rd_data_o = window_size_q[416 +: 32];
      9'h178: rd_data_o = window_size_q[448 +: 32];
      9'h17c: rd_data_o = window_size_q[480 +: 32];
      9'h180: rd_data_o = BuildId;
      9'h184: rd_data_o = ClockKhz;
      9'h188: rd_data_o = AddressBits;
      9'h190: rd_data_o = GeometryBatch;
      9'h194: rd_data_o = GeometryBlockIn;
      9'h198: rd_data_o = GeometryBlockOut;
      9'h19c: rd_data_o = GeometryInpDepth;
      9'h1a0: rd_data_o = GeometryWgtDepth;
      9'h1a4: rd_data_o = GeometryAccDepth;
      9'h1a8: rd_data_o = GeometryOutDepth;
      9'h1ac: rd_data_o = GeometryParDepth;
      9'h1b0: rd_data_o = GeometryUopDepth;
      9'h1b4: rd_data_o = GeometryQueueDepth;
      9'h1b8: rd_data_o = GeometryTokenDepth;
      default: rd_data_o = 32'd0;
    endcase
  end

endmodule
