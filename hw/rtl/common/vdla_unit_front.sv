// SPDX-License-Identifier: Apache-2.0
// Frame of each unit around its data path: the instruction queue, the tokens that the oldest instruction pops before it
// starts, the list of instructions in flight, and the tokens that the oldest of them pushes once its data path says
// done.
//
// Tokens are taken and given one by one, as soon as each channel allows. An instruction starts when all its tokens have
// been taken and the data path is ready; it retires when all its tokens have been given.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_unit_front #(
  parameter  int unsigned QueueDepth    = 16,
  parameter  int unsigned InflightDepth = vdla_isa_pkg::InflightDepth,
  localparam int unsigned InsnBits      = vdla_isa_pkg::InsnBits,
  localparam int unsigned IndexW        = vdla_pkg::InsnIndexBits,
  localparam int unsigned WordW         = vdla_pkg::WordBits,
  localparam int unsigned Units         = vdla_isa_pkg::QueueUnits,
  localparam int unsigned DoneW         = $clog2(InflightDepth + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  halt_i,
  // from fetch
  input  logic                  insn_valid_i,
  output logic                  insn_ready_o,
  input  logic [InsnBits-1:0]   insn_i,
  input  logic [IndexW-1:0]     insn_index_i,
  // to the data path
  output logic                  start_valid_o,
  input  logic                  start_ready_i,
  output vdla_isa_pkg::memory_t start_insn_o,          // pop and push stand at the same place in all instructions
  output logic [IndexW-1:0]     start_index_o,
  input  logic                  done_i,
  // tokens, by unit at the other end
  input  logic [Units-1:0]      pop_valid_i,
  output logic [Units-1:0]      pop_ready_o,
  output logic [Units-1:0]      push_valid_o,
  input  logic [Units-1:0]      push_ready_i,
  // outputs for the registers and the trace
  output logic [IndexW-1:0]     insn_o,
  output logic [WordW-1:0]      state_o,
  output logic                  idle_o,
  output logic                  running_o,
  output logic                  token_stall_o,
  output logic                  start_o,
  output logic                  event_o,               // the first instruction comes, one starts, ends or retires
  output logic                  retire_o,
  output logic [IndexW-1:0]     retire_index_o
);

  logic              head_valid, start, inflight_ready, inflight_valid, retire, has_done, arrives;
  logic [Units-1:0]  head_pop, popped_q, waiting_pops;
  logic [Units-1:0]  tail_push, tail_left, pushed_q, waiting_pushes;
  logic [DoneW-1:0]  done_q;
  logic [IndexW-1:0] tail_index;

  vdla_fifo #(
    .Width(IndexW + InsnBits),
    .Depth(QueueDepth)
  ) u_queue (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(insn_valid_i),
    .ready_o(insn_ready_o),
    .data_i ({insn_index_i, insn_i}),
    .valid_o(head_valid),
    .ready_i(start),
    .data_o ({start_index_o, start_insn_o})
  );

  vdla_fifo #(
    .Width(IndexW + Units),
    .Depth(InflightDepth)
  ) u_inflight (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(start),
    .ready_o(inflight_ready),
    .data_i ({start_index_o, start_insn_o.push}),
    .valid_o(inflight_valid),
    .ready_i(retire),
    .data_o ({tail_index, tail_push})
  );

  `VDLA_STALL(start_stall)

  // start of the first instruction in the queue: all of its tokens are there
  assign head_pop      = start_insn_o.pop & ~popped_q;
  assign waiting_pops  = head_valid ? head_pop & ~pop_valid_i : '0;
  assign pop_ready_o   = head_valid && !halt_i ? head_pop : '0;
  assign start_valid_o = head_valid && waiting_pops == '0 && inflight_ready && !halt_i && !start_stall;
  assign start         = start_valid_o && start_ready_i;

  // retirement of the oldest instruction in flight: its tokens go out
  assign has_done       = inflight_valid && (done_i || done_q != '0);
  assign tail_left      = has_done ? tail_push & ~pushed_q : '0;
  assign waiting_pushes = tail_left & ~push_ready_i;
  assign push_valid_o   = halt_i ? '0 : tail_left;
  assign retire         = has_done && waiting_pushes == '0 && !halt_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      popped_q <= '0;
      pushed_q <= '0;
      done_q   <= '0;
    end else begin
      popped_q <= start ? '0 : popped_q | (pop_ready_o & pop_valid_i);
      pushed_q <= retire ? '0 : pushed_q | (push_valid_o & push_ready_i);
      done_q   <= done_q + DoneW'(done_i) - DoneW'(retire);
    end
  end

  `VDLA_COVER(QueueIsFull, insn_valid_i && !insn_ready_o)
  `VDLA_COVER(InFlightIsFull, head_valid && !inflight_ready)
  `VDLA_COVER(SomeTokensTakenEarly, popped_q != '0 && waiting_pops != '0)
  `VDLA_COVER(SomeTokensGivenEarly, pushed_q != '0 && waiting_pushes != '0)
  `VDLA_COVER(DoneBehindOneThatWaits, done_q > DoneW'(1))

  assign start_o        = start;
  assign retire_o       = retire;
  assign arrives        = insn_valid_i && insn_ready_o && idle_o;
  assign event_o        = arrives || start || done_i || retire;
  assign retire_index_o = tail_index;
  assign idle_o         = !head_valid && !inflight_valid;
  assign running_o      = inflight_valid;
  assign token_stall_o  = (!inflight_valid && waiting_pops != '0) || waiting_pushes != '0;
  assign insn_o         = inflight_valid ? tail_index : start_index_o;

  always_comb begin
    state_o = '0;
    state_o[vdla_isa_pkg::UnitStateHasInsnLsb]                = head_valid || inflight_valid;
    state_o[vdla_isa_pkg::UnitStateRunningLsb]                = inflight_valid;
    state_o[vdla_isa_pkg::UnitStateWaitingPopsLsb +: Units]   = inflight_valid ? '0 : waiting_pops;
    state_o[vdla_isa_pkg::UnitStateWaitingPushesLsb +: Units] = waiting_pushes;
  end

  `VDLA_ASSERT(DoneOnlyInFlight, done_i |-> inflight_valid)

`ifdef FORMAL
  `include "vdla_unit_front.svh"
`endif

endmodule
