// SPDX-License-Identifier: Apache-2.0
// The fetch unit: reads instructions ahead into a buffer, checks each, and puts it into the queue of its unit. FINISH
// waits until every unit is idle. An error that the memory answers with stays with its beat and is raised when the
// instruction's turn comes: what lies behind FINISH is never looked at.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_fetch #(
  parameter  int unsigned BurstBytes = 256,
  parameter  int unsigned BlockIn    = 16,
  parameter  int unsigned BlockOut   = 16,
  parameter  int unsigned InpDepth   = 2048,
  parameter  int unsigned WgtDepth   = 128,
  parameter  int unsigned AccDepth   = 2048,
  parameter  int unsigned OutDepth   = 512,
  parameter  int unsigned ParDepth   = 128,
  parameter  int unsigned UopDepth   = 4096,
  localparam int unsigned InsnBits   = vdla_isa_pkg::InsnBits,
  localparam int unsigned Units      = vdla_isa_pkg::QueueUnits,
  localparam int unsigned AddrW      = vdla_pkg::AddrBits,
  localparam int unsigned IndexW     = vdla_pkg::InsnIndexBits,
  localparam int unsigned WordW      = vdla_pkg::WordBits,
  localparam int unsigned SequenceW  = vdla_isa_pkg::FinishSequenceWidth,
  localparam int unsigned BeatW      = vdla_pkg::BeatBits,
  localparam int unsigned LenW       = vdla_pkg::LenBits,
  localparam int unsigned ErrorW     = vdla_isa_pkg::ErrorBits
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 halt_i,
  // start, end
  input  logic                 start_i,
  input  logic [WordW-1:0]     insn_offset_i,
  input  logic [IndexW-1:0]    insn_count_i,
  input  logic [AddrW-1:0]     window_base_i,   // base of window insn
  input  logic [AddrW-1:0]     window_size_i,
  output logic                 finish_o,
  output logic [SequenceW-1:0] sequence_o,
  // read bursts and their beats
  output logic                 read_valid_o,
  input  logic                 read_ready_i,
  output logic [AddrW-1:0]     read_addr_o,
  output logic [LenW-1:0]      read_len_o,
  input  logic                 beat_valid_i,
  input  logic [BeatW-1:0]     beat_i,
  input  logic                 beat_error_i,
  // queues of the units
  output logic [Units-1:0]     queue_valid_o,
  input  logic [Units-1:0]     queue_ready_i,
  output logic [InsnBits-1:0]  insn_o,
  output logic [IndexW-1:0]    index_o,
  input  logic [Units-1:0]     unit_idle_i,
  // errors; events for counters and traces
  output logic                 err_valid_o,
  output logic [ErrorW-1:0]    err_code_o,
  output logic [AddrW-1:0]     err_addr_o,
  output logic                 active_o,
  output logic [Units-1:0]     waiting_o,       // queue that is full
  output logic                 drain_o,         // finish waits or is taken
  output logic                 dispatch_o
);

  localparam int unsigned BufferBeats = 64;
  localparam int unsigned ReservedW   = $clog2(BufferBeats + 1);
  localparam int unsigned BlockW      = $clog2(BurstBytes);
  localparam int unsigned BeatBytes   = vdla_pkg::BeatBytes;
  localparam int unsigned InsnBeats   = InsnBits / BeatW;
  localparam int unsigned ByteW       = vdla_pkg::ByteBits;               // a byte of its beat
  localparam int unsigned BeatsW      = vdla_pkg::BurstBits - ByteW;      // beats of a burst
  localparam int unsigned PlaceW      = $clog2(vdla_isa_pkg::InsnBytes);  // a byte of its instruction
  localparam int unsigned NumberW     = $clog2(InsnBeats);                // a beat of its instruction
  localparam int unsigned CountW      = IndexW + 1;                       // instructions of the run

  logic active_q;

  // --- requests: as long as the buffer has room for the burst and the window has the instructions ---
  logic [AddrW-1:0]          addr_q;
  logic [CountW+NumberW-1:0] unasked_q;                   // beats
  logic [ReservedW-1:0]      reserved_q;                  // beats asked for and not yet used
  logic [BeatsW-1:0]         burst_beats, to_boundary;
  logic                      request, beat_used;
  logic [AddrW-1:0]          in_window, first_offset;
  logic [CountW-1:0]         available_q, available;
  logic                      misaligned, misaligned_q;

  assign first_offset = AddrW'(insn_offset_i);
  assign misaligned   = window_base_i[PlaceW-1:0] + insn_offset_i[PlaceW-1:0] != '0;
  assign in_window    = first_offset < window_size_i ? (window_size_i - first_offset) >> PlaceW : '0;
  assign available    = misaligned ? '0 : (in_window < AddrW'(insn_count_i) ? in_window[CountW-1:0] : CountW'(insn_count_i));
  assign to_boundary  = BeatsW'(BurstBytes / BeatBytes) - BeatsW'(addr_q[BlockW-1:ByteW]);
  assign burst_beats  = unasked_q < (CountW+NumberW)'(to_boundary) ? unasked_q[BeatsW-1:0] : to_boundary;
  assign read_valid_o = active_q && unasked_q != '0 && reserved_q + ReservedW'(burst_beats) <= ReservedW'(BufferBeats) && !halt_i;
  assign read_addr_o  = {addr_q[AddrW-1:ByteW], ByteW'(0)};
  assign read_len_o   = LenW'(burst_beats) - LenW'(1);
  assign request      = read_valid_o && read_ready_i;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      addr_q       <= window_base_i + first_offset;
      unasked_q    <= {available, NumberW'(0)};
      available_q  <= available;
      misaligned_q <= misaligned;
    end else if (request) begin
      addr_q    <= addr_q + (AddrW'(burst_beats) << ByteW);
      unasked_q <= unasked_q - (CountW+NumberW)'(burst_beats);
    end
  end

  // --- the buffer, and eight beats become an instruction ---
  logic                  fifo_valid, fifo_ready, insn_valid_q, insn_taken, complete;
  logic [BeatW-1:0]      fifo_beat;
  logic                  fifo_error, bad_q;   // the memory answered a beat of this instruction with an error
  logic [NumberW-1:0]    beat_q;
  vdla_isa_pkg::finish_t insn_q;              // or another: opcodes stand at the same place in all

  vdla_fifo #(
    .Width (1 + BeatW),
    .Depth (BufferBeats),
    .Stalls(1'b0)
  ) u_beats (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(beat_valid_i),
    .ready_o(fifo_ready),
    .data_i ({beat_error_i, beat_i}),
    .valid_o(fifo_valid),
    .ready_i(beat_used),
    .data_o ({fifo_error, fifo_beat})
  );

  `VDLA_STALL(beat_stall)

  assign beat_used = fifo_valid && (!insn_valid_q || insn_taken) && !halt_i && !beat_stall;
  assign complete  = beat_used && beat_q == NumberW'(InsnBeats - 1);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      beat_q       <= '0;
      reserved_q   <= '0;
      insn_valid_q <= 1'b0;
    end else begin
      if (beat_used) beat_q <= beat_q + NumberW'(1);
      reserved_q   <= reserved_q + (request ? ReservedW'(burst_beats) : '0) - ReservedW'(beat_used);
      insn_valid_q <= complete || (insn_valid_q && !insn_taken);
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat_used) begin
      insn_q <= {fifo_beat, insn_q[InsnBits-1:BeatW]};
      bad_q  <= fifo_error || (bad_q && beat_q != '0);
    end
  end

  // --- check ---
  logic       check, illegal, checked_q, illegal_q;
  logic [7:0] rule, rule_q;

  assign check = insn_valid_q && !checked_q;

  vdla_insn_check #(
    .InpDepth(InpDepth),
    .WgtDepth(WgtDepth),
    .AccDepth(AccDepth),
    .OutDepth(OutDepth),
    .ParDepth(ParDepth),
    .UopDepth(UopDepth),
    .BlockIn (BlockIn),
    .BlockOut(BlockOut)
  ) u_check (
    .valid_i  (check),
    .insn_i   (insn_q),
    .illegal_o(illegal),
    .rule_o   (rule)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) checked_q <= 1'b0;
    else       checked_q <= insn_valid_q && !insn_taken;
    if (check) begin
      illegal_q <= illegal;
      rule_q    <= rule;
    end
  end

  // --- dispatch ---
  logic [vdla_isa_pkg::FinishOpcodeWidth-1:0] opcode;
  logic [IndexW-1:0]                          index_q;
  logic [Units-1:0]                           unit;
  logic                                       is_finish, stands, can_go, exhausted, missing;

  assign opcode    = insn_q.opcode;
  assign is_finish = opcode == vdla_isa_pkg::OpcodeFinish;
  always_comb begin
    case (opcode)
      vdla_isa_pkg::OpcodeLoad:   unit = 4'b0001;
      vdla_isa_pkg::OpcodeGemm:   unit = 4'b0010;
      vdla_isa_pkg::OpcodeVector: unit = 4'b0100;
      vdla_isa_pkg::OpcodeStore:  unit = 4'b1000;
      default:                    unit = 4'b0000;
    endcase
  end

  assign stands        = active_q && checked_q && !illegal_q && !bad_q;
  assign can_go        = stands && !halt_i;
  assign queue_valid_o = can_go ? unit : '0;
  assign finish_o      = can_go && is_finish && (&unit_idle_i);
  assign insn_taken    = (queue_valid_o & queue_ready_i) != '0 || finish_o;
  assign insn_o        = insn_q;
  assign index_o       = index_q;
  assign sequence_o    = insn_q.sequence_;
  assign dispatch_o    = insn_taken;
  assign waiting_o     = stands ? unit & ~queue_ready_i : '0;
  assign drain_o       = can_go && is_finish;
  assign active_o      = active_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (finish_o) active_q <= 1'b0;
    if (start_i) index_q <= '0;
    else if (insn_taken) index_q <= index_q + IndexW'(1);
  end

  // --- errors ---
  logic             bad;
  logic [AddrW-1:0] offset;
  assign offset      = first_offset + AddrW'({index_q, PlaceW'(0)});
  assign bad         = active_q && checked_q && bad_q;
  assign exhausted   = active_q && !insn_valid_q && {1'b0, index_q} == available_q;
  assign missing     = {1'b0, index_q} < {1'b0, insn_count_i};
  assign err_valid_o = (bad || (active_q && checked_q && illegal_q) || exhausted) && !halt_i;
  always_comb begin
    err_code_o = vdla_isa_pkg::ErrorIllegalInsn;
    err_addr_o = AddrW'(rule_q);
    if (exhausted && misaligned_q) begin
      err_code_o = vdla_isa_pkg::ErrorMisaligned;
      err_addr_o = window_base_i + offset;
    end else if (exhausted) begin
      err_code_o = missing ? vdla_isa_pkg::ErrorWindow : vdla_isa_pkg::ErrorNoFinish;
      err_addr_o = missing ? offset : '0;
    end else if (bad) begin
      err_code_o = vdla_isa_pkg::ErrorBusRead;
      err_addr_o = window_base_i + offset;
    end
  end

  `VDLA_ASSERT(BufferHasRoom, beat_valid_i |-> fifo_ready)
  `VDLA_ASSERT(OneQueue, (queue_valid_o & (queue_valid_o - Units'(1))) == '0)

  logic unused;
  assign unused = fifo_ready;

`ifdef FORMAL
  `include "vdla_fetch.svh"
`endif

endmodule
