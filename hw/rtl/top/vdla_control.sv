// SPDX-License-Identifier: Apache-2.0
// Start, end, first error, watchdog and counters of the machine.
//
// A start or soft reset first lets the bus run dry (nothing new is asked, halt_o), then resets the units for one cycle.
// The first error freezes the units as they are, for the driver to look at.
//
// Watchdog: a cycle is quiet when nothing is dispatched, started, worked on or retired and no burst is unanswered; a
// memory that is slow is not stuck. After STALL_LIMIT quiet cycles in a row (MinStallLimit at least: pipelines fill in
// fewer) the run ends with error stall.

`include "vdla_assert.svh"

module vdla_control #(
  localparam int unsigned Units     = vdla_isa_pkg::QueueUnits,
  localparam int unsigned AddrW     = vdla_pkg::AddrBits,
  localparam int unsigned IndexW    = vdla_pkg::InsnIndexBits,
  localparam int unsigned WordW     = vdla_pkg::WordBits,
  localparam int unsigned CounterW  = 2 * WordW,
  localparam int unsigned ErrorW    = vdla_isa_pkg::ErrorBits,
  localparam int unsigned SequenceW = vdla_isa_pkg::FinishSequenceWidth
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  // from the registers
  input  logic                        start_i,
  input  logic                        soft_reset_i,
  input  logic [WordW-1:0]            stall_limit_i,
  // to the units
  output logic                        unit_rst_o,
  output logic                        unit_start_o,
  output logic                        halt_o,
  input  logic                        bus_idle_i,
  input  logic                        finish_i,
  input  logic [SequenceW-1:0]        sequence_i,
  // first error: load, gemm, vector, store, fetch
  input  logic [Units:0]              err_valid_i,
  input  logic [(Units+1)*ErrorW-1:0] err_code_i,
  input  logic [(Units+1)*IndexW-1:0] err_insn_i,
  input  logic [(Units+1)*AddrW-1:0]  err_addr_i,
  // events to be counted
  input  logic                        progress_i,
  input  logic [Units:0]              event_i,         // load, gemm, vector, store, fetch: something begins or ends
  input  logic                        read_beat_i,
  input  logic                        write_beat_i,
  input  logic [Units-1:0]            running_i,
  input  logic [Units-1:0]            token_stall_i,
  // to the registers
  output logic [WordW-1:0]            status_o,
  output logic [WordW-1:0]            irq_set_o,
  output logic [SequenceW-1:0]        sequence_o,
  output logic [WordW-1:0]            error_code_o,
  output logic [WordW-1:0]            error_unit_o,
  output logic [IndexW-1:0]           error_insn_o,
  output logic [AddrW-1:0]            error_addr_o,
  output logic [CounterW-1:0]         cycles_o,
  output logic [CounterW-1:0]         read_bytes_o,
  output logic [CounterW-1:0]         write_bytes_o,
  output logic [Units*WordW-1:0]      busy_o,
  output logic [Units*WordW-1:0]      token_stall_o,
  output logic [(Units+1)*WordW-1:0]  since_o
);

  localparam int unsigned UnitW = vdla_isa_pkg::UnitBits;
  localparam int unsigned ByteW = vdla_pkg::ByteBits;  // a byte of its beat

  localparam logic [1:0] Idle = 2'd0, Quiesce = 2'd1, Reset = 2'd2, Run = 2'd3;

  logic [1:0]           state_d, state_q;
  logic                 go_q, done_q, error_q, any_error, stalled, running;
  logic [SequenceW-1:0] sequence_q;
  logic [IndexW-1:0]    error_insn_q;
  logic [WordW-1:0]     quiet_q;
  logic [IndexW-1:0]    error_insn;
  logic [ErrorW-1:0]    error_code_q, error_code;
  logic [UnitW-1:0]     error_unit_q, error_unit;
  logic [AddrW-1:0]     error_addr_q, error_addr;
  logic [CounterW-1:0]  cycles_q, read_beats_q, write_beats_q;

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

  assign status_o   = WordW'({error_q, done_q, state_q != Idle, state_q == Idle});
  assign irq_set_o  = WordW'({running && any_error, running && finish_i && !any_error});
  assign sequence_o = sequence_q;

  // --- first error; the lowest unit of one cycle ---
  assign stalled   = running && stall_limit_i != '0 && quiet_q >= stall_limit_i && quiet_q >= vdla_isa_pkg::MinStallLimit;
  assign any_error = err_valid_i != '0 || stalled;
  always_comb begin
    error_code = vdla_isa_pkg::ErrorStall;
    error_unit = vdla_isa_pkg::UnitFetch;
    error_insn = err_insn_i[Units*IndexW +: IndexW];
    error_addr = '0;
    for (int u = Units; u >= 0; u--) begin
      if (err_valid_i[u]) begin
        error_code = err_code_i[u*ErrorW +: ErrorW];
        error_unit = UnitW'(u);
        error_insn = err_insn_i[u*IndexW +: IndexW];
        error_addr = err_addr_i[u*AddrW +: AddrW];
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

  assign error_code_o = WordW'(error_code_q);
  assign error_unit_o = WordW'(error_unit_q);
  assign error_insn_o = error_insn_q;
  assign error_addr_o = error_addr_q;

  `VDLA_COVER(TwoErrorsAtOnce, running && (err_valid_i & (err_valid_i - (Units+1)'(1))) != '0)
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
      cycles_q <= cycles_q + CounterW'(1);
      if (read_beat_i) read_beats_q <= read_beats_q + CounterW'(1);
      if (write_beat_i) write_beats_q <= write_beats_q + CounterW'(1);
      quiet_q <= progress_i || !bus_idle_i ? '0 : quiet_q + WordW'(1);
    end
  end

  assign cycles_o      = cycles_q;
  assign read_bytes_o  = {read_beats_q[CounterW-ByteW-1:0], ByteW'(0)};
  assign write_bytes_o = {write_beats_q[CounterW-ByteW-1:0], ByteW'(0)};

  for (genvar u = 0; u < Units; u++) begin : gen_counters
    logic [WordW-1:0] busy_q, stall_q;
    always_ff @(posedge clk_i) begin
      if (rst_i || state_q == Reset) begin
        busy_q  <= '0;
        stall_q <= '0;
      end else if (running) begin
        if (running_i[u]) busy_q <= busy_q + WordW'(1);
        if (token_stall_i[u]) stall_q <= stall_q + WordW'(1);
      end
    end
    assign busy_o[u*WordW +: WordW]        = busy_q;
    assign token_stall_o[u*WordW +: WordW] = stall_q;
  end

  for (genvar u = 0; u <= Units; u++) begin : gen_since
    logic [WordW-1:0] since_q;
    always_ff @(posedge clk_i) begin
      if (rst_i || state_q == Reset) since_q <= '0;
      else if (running && event_i[u]) since_q <= cycles_q[WordW-1:0] + WordW'(1);
    end
    assign since_o[u*WordW +: WordW] = since_q;
  end

`ifdef FORMAL
  `include "vdla_control.svh"
`endif

endmodule
