// SPDX-License-Identifier: Apache-2.0
// Start, end, first error, watchdog and counters of the machine.
//
// A start or soft reset first lets the bus run dry (nothing new is asked, halt_o), then resets the units for one cycle. The first error
// freezes the units as they are, for the driver to look at.
//
// Watchdog: a cycle is quiet when nothing is dispatched, started, worked on or retired and no burst is unanswered; a memory that is slow
// is not stuck. After STALL_LIMIT quiet cycles in a row (MinStallLimit at least: pipelines fill in fewer) the run ends with error stall.

`include "vdla_assert.svh"

module vdla_control #(
  localparam int unsigned Units = vdla_isa_pkg::QueueUnits
) (
  input  logic                clk_i,
  input  logic                rst_i,
  // from the registers
  input  logic                start_i,
  input  logic                soft_reset_i,
  input  logic [31:0]         stall_limit_i,
  // to the units
  output logic                unit_rst_o,
  output logic                unit_start_o,
  output logic                halt_o,
  input  logic                bus_idle_i,
  input  logic                finish_i,
  input  logic [31:0]         sequence_i,
  // first error: load, gemm, vector, store, fetch
  input  logic [4:0]          err_valid_i,
  input  logic [5*4-1:0]      err_code_i,
  input  logic [5*32-1:0]     err_insn_i,
  input  logic [5*64-1:0]     err_addr_i,
  // what is counted
  input  logic                progress_i,
  input  logic [Units:0]      event_i,         // load, gemm, vector, store, fetch: something begins or ends
  input  logic                read_beat_i,
  input  logic                write_beat_i,
  input  logic [Units-1:0]    running_i,
  input  logic [Units-1:0]    token_stall_i,
  // to the registers
  output logic [31:0]         status_o,
  output logic [31:0]         irq_set_o,
  output logic [31:0]         sequence_o,
  output logic [31:0]         error_code_o,
  output logic [31:0]         error_unit_o,
  output logic [31:0]         error_insn_o,
  output logic [63:0]         error_addr_o,
  output logic [63:0]         cycles_o,
  output logic [63:0]         read_bytes_o,
  output logic [63:0]         write_bytes_o,
  output logic [Units*32-1:0] busy_o,
  output logic [Units*32-1:0] token_stall_o,
  output logic [(Units+1)*32-1:0] since_o
);

  localparam logic [1:0] Idle = 2'd0, Quiesce = 2'd1, Reset = 2'd2, Run = 2'd3;

  logic [1:0]  state_d, state_q;
  logic        go_q, done_q, error_q, any_error, stalled, running;
  logic [31:0] sequence_q, error_insn_q, quiet_q, error_insn;
  logic [3:0]  error_code_q, error_code;
  logic [2:0]  error_unit_q, error_unit;
  logic [63:0] error_addr_q, error_addr, cycles_q, read_beats_q, write_beats_q;

  // --- state ---
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    state_d = Idle;
      Quiesce: if (bus_idle_i) state_d = Reset;
      Reset:   state_d = go_q ? Run : Idle;
      Run:     if (finish_i || any_error) state_d = Idle;
      default: state_d = Idle;
    endcase
    if ((start_i && state_q == Idle) || soft_reset_i) state_d = Quiesce;
  end

  assign running      = state_q == Run;
  assign unit_rst_o   = rst_i || state_q == Reset;
  assign unit_start_o = running && go_q;
  assign halt_o       = state_q == Quiesce || error_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q    <= Idle;
      go_q       <= 1'b0;
      done_q     <= 1'b0;
      error_q    <= 1'b0;
      sequence_q <= '0;
    end else begin
      state_q <= state_d;
      if (soft_reset_i) go_q <= 1'b0;
      else if (start_i && state_q == Idle) go_q <= 1'b1;
      else if (running) go_q <= 1'b0;
      if ((start_i && state_q == Idle) || soft_reset_i) begin
        done_q  <= 1'b0;
        error_q <= 1'b0;
      end else if (running && any_error) begin
        error_q <= 1'b1;
      end else if (running && finish_i) begin
        done_q     <= 1'b1;
        sequence_q <= sequence_i;
      end
    end
  end

  assign status_o   = {28'd0, error_q, done_q, state_q != Idle, state_q == Idle};
  assign irq_set_o  = {30'd0, running && any_error, running && finish_i && !any_error};
  assign sequence_o = sequence_q;

  // --- first error; the lowest unit of one cycle ---
  assign stalled   = running && stall_limit_i != '0 && quiet_q >= stall_limit_i && quiet_q >= vdla_isa_pkg::MinStallLimit;
  assign any_error = err_valid_i != '0 || stalled;
  always_comb begin
    error_code = vdla_isa_pkg::ErrorStall;
    error_unit = vdla_isa_pkg::UnitFetch;
    error_insn = err_insn_i[4*32 +: 32];
    error_addr = '0;
    for (int u = 4; u >= 0; u--) begin
      if (err_valid_i[u]) begin
        error_code = err_code_i[u*4 +: 4];
        error_unit = 3'(u);
        error_insn = err_insn_i[u*32 +: 32];
        error_addr = err_addr_i[u*64 +: 64];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || state_q == Reset) begin
      error_code_q <= vdla_isa_pkg::ErrorNone;
      error_unit_q <= '0;
      error_insn_q <= '0;
      error_addr_q <= '0;
    end else if (running && any_error) begin
      error_code_q <= error_code;
      error_unit_q <= error_unit;
      error_insn_q <= error_insn;
      error_addr_q <= error_addr;
    end
  end

  assign error_code_o = {28'd0, error_code_q};
  assign error_unit_o = {29'd0, error_unit_q};
  assign error_insn_o = error_insn_q;
  assign error_addr_o = error_addr_q;

  `VDLA_COVER(TwoErrorsAtOnce, running && (err_valid_i & (err_valid_i - 5'd1)) != '0)
  `VDLA_COVER(ResetWhileRunning, running && soft_reset_i)
  `VDLA_COVER(ResetWaitsForTheBus, state_q == Quiesce && !bus_idle_i)
  `VDLA_COVER(StartWhileRunning, running && start_i)

  // --- counters ---
  always_ff @(posedge clk_i) begin
    if (rst_i || state_q == Reset) begin
      cycles_q      <= '0;
      read_beats_q  <= '0;
      write_beats_q <= '0;
      quiet_q       <= '0;
    end else if (running) begin
      cycles_q <= cycles_q + 64'd1;
      if (read_beat_i) read_beats_q <= read_beats_q + 64'd1;
      if (write_beat_i) write_beats_q <= write_beats_q + 64'd1;
      quiet_q <= progress_i || !bus_idle_i ? '0 : quiet_q + 32'd1;
    end
  end

  assign cycles_o      = cycles_q;
  assign read_bytes_o  = {read_beats_q[60:0], 3'd0};
  assign write_bytes_o = {write_beats_q[60:0], 3'd0};

  for (genvar u = 0; u < Units; u++) begin : gen_counters
    logic [31:0] busy_q, stall_q;
    always_ff @(posedge clk_i) begin
      if (rst_i || state_q == Reset) begin
        busy_q  <= '0;
        stall_q <= '0;
      end else if (running) begin
        if (running_i[u]) busy_q <= busy_q + 32'd1;
        if (token_stall_i[u]) stall_q <= stall_q + 32'd1;
      end
    end
    assign busy_o[u*32 +: 32]        = busy_q;
    assign token_stall_o[u*32 +: 32] = stall_q;
  end

  for (genvar u = 0; u <= Units; u++) begin : gen_since
    logic [31:0] since_q;
    always_ff @(posedge clk_i) begin
      if (rst_i || state_q == Reset) since_q <= '0;
      else if (running && event_i[u]) since_q <= cycles_q[31:0] + 32'd1;
    end
    assign since_o[u*32 +: 32] = since_q;
  end

`ifdef FORMAL
  `include "vdla_control.svh"
`endif

endmodule
