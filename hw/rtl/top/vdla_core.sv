// SPDX-License-Identifier: Apache-2.0
// The machine without its register front: units, token channels, buffers and the bus.
// Long: instances of the units, channels and buffers with the wires between them; it has next to no logic, and a part
// of a netlist is harder to read than the whole.

`include "vdla_assert.svh"

module vdla_core #(
  parameter  int unsigned BurstBytes   = 256,
  // isagen geometry parameters
  parameter  int unsigned Batch        = 1,
  parameter  int unsigned BlockIn      = 16,
  parameter  int unsigned BlockOut     = 16,
  parameter  int unsigned InpDepth     = 2048,
  parameter  int unsigned WgtDepth     = 128,
  parameter  int unsigned AccDepth     = 2048,
  parameter  int unsigned OutDepth     = 512,
  parameter  int unsigned ParDepth     = 128,
  parameter  int unsigned UopDepth     = 4096,
  parameter  int unsigned QueueDepth   = 16,
  parameter  int unsigned TokenDepth   = 16,
  // end isagen
  localparam int unsigned Units        = vdla_isa_pkg::QueueUnits,
  localparam int unsigned InsnBits     = vdla_isa_pkg::InsnBits,
  localparam int unsigned AddrW        = vdla_pkg::AddrBits,
  localparam int unsigned WindowsW     = vdla_isa_pkg::Windows * vdla_pkg::AddrBits,
  localparam int unsigned IndexW       = vdla_pkg::InsnIndexBits,
  localparam int unsigned WordW        = vdla_pkg::WordBits,
  localparam int unsigned ErrorW       = vdla_isa_pkg::ErrorBits,
  localparam int unsigned SequenceW    = vdla_isa_pkg::FinishSequenceWidth,
  localparam int unsigned BeatW        = vdla_pkg::BeatBits,
  localparam int unsigned BeatBytes    = vdla_pkg::BeatBytes,
  localparam int unsigned LenW         = vdla_pkg::LenBits
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  // control
  input  logic                        start_i,
  input  logic                        halt_i,
  input  logic [WordW-1:0]            insn_offset_i,
  input  logic [IndexW-1:0]           insn_count_i,
  input  logic [WindowsW-1:0]         window_base_i,
  input  logic [WindowsW-1:0]         window_size_i,
  output logic                        finish_o,
  output logic [SequenceW-1:0]        sequence_o,
  output logic                        bus_idle_o,
  output logic                        progress_o,      // beside what the bus does
  output logic [Units:0]              event_o,         // load, gemm, vector, store, fetch: something begins or ends
  // errors: load, gemm, vector, store, fetch
  output logic [Units:0]              err_valid_o,
  output logic [(Units+1)*ErrorW-1:0] err_code_o,
  output logic [(Units+1)*IndexW-1:0] err_insn_o,
  output logic [(Units+1)*AddrW-1:0]  err_addr_o,
  // state of load, gemm, vector, store; of fetch
  output logic [Units*IndexW-1:0]     insn_o,
  output logic [Units*WordW-1:0]      state_o,
  output logic [IndexW-1:0]           fetch_insn_o,
  output logic [WordW-1:0]            fetch_state_o,
  output logic [Units-1:0]            running_o,
  output logic [Units-1:0]            token_stall_o,
  // events, for traces
  output logic [Units-1:0]            event_dispatch_o,
  output logic [Units-1:0]            event_start_o,
  output logic [Units*IndexW-1:0]     event_start_index_o,
  output logic [Units-1:0]            event_retire_o,
  output logic [Units*IndexW-1:0]     event_retire_index_o,
  output logic [Units-1:0]            event_work_o,        // a step enters, a chunk or a beat moves
  output logic                        event_bank_stall_o,  // stall of vector
  output logic                        event_drain_o,       // fetch waits with finish
  output logic                        event_read_load_o,   // the address on AR is load's, not fetch's
  // AXI4
  output logic                        axi_arvalid_o,
  input  logic                        axi_arready_i,
  output logic [AddrW-1:0]            axi_araddr_o,
  output logic [LenW-1:0]             axi_arlen_o,
  input  logic                        axi_rvalid_i,
  output logic                        axi_rready_o,
  input  logic [BeatW-1:0]            axi_rdata_i,
  input  logic [1:0]                  axi_rresp_i,
  input  logic                        axi_rlast_i,
  output logic                        axi_awvalid_o,
  input  logic                        axi_awready_i,
  output logic [AddrW-1:0]            axi_awaddr_o,
  output logic [LenW-1:0]             axi_awlen_o,
  output logic                        axi_wvalid_o,
  input  logic                        axi_wready_i,
  output logic [BeatW-1:0]            axi_wdata_o,
  output logic [BeatBytes-1:0]        axi_wstrb_o,
  output logic                        axi_wlast_o,
  input  logic                        axi_bvalid_i,
  output logic                        axi_bready_o,
  input  logic [1:0]                  axi_bresp_i
);

  localparam int unsigned Outstanding = 64;  // read bursts that the machine can keep track of
  localparam int unsigned Lanes       = Batch * BlockOut;
  localparam int unsigned EntryW      = vdla_isa_pkg::IndexBits;
  localparam int unsigned ChunkW      = vdla_pkg::ChunkBits;
  localparam int unsigned BufferW     = vdla_isa_pkg::BufferBits;
  localparam int unsigned InpWidth    = Batch * BlockIn * vdla_pkg::OperandBits;
  localparam int unsigned WgtWidth    = BlockOut * BlockIn * vdla_pkg::OperandBits;
  localparam int unsigned AccWidth    = Lanes * vdla_pkg::AccBits;
  localparam int unsigned OutWidth    = Lanes * vdla_pkg::OperandBits;
  localparam int unsigned ParWidth    = BlockOut * vdla_pkg::AccBits;
  localparam int unsigned UopWidth    = vdla_isa_pkg::UopBits;
  localparam int unsigned InpAW       = $clog2(InpDepth);
  localparam int unsigned WgtAW       = $clog2(WgtDepth);
  localparam int unsigned AccAW       = $clog2(AccDepth);
  localparam int unsigned OutAW       = $clog2(OutDepth);
  localparam int unsigned ParAW       = $clog2(ParDepth);
  localparam int unsigned UopAW       = $clog2(UopDepth);
  localparam int unsigned Load        = 0;
  localparam int unsigned Gemm        = 1;
  localparam int unsigned Vector      = 2;
  localparam int unsigned Store       = 3;

  // --- fetch ---
  logic                fetch_read_valid, fetch_read_ready, fetch_beat, rerror, fetch_active, fetch_owed, load_owed, write_idle;
  logic [AddrW-1:0]    fetch_read_addr, fetch_err_addr;
  logic [BeatW-1:0]    rdata;
  logic [LenW-1:0]     fetch_read_len;
  logic [Units-1:0]    queue_valid, queue_ready, unit_idle, fetch_waiting;
  logic [InsnBits-1:0] insn;
  logic [IndexW-1:0]   insn_index;
  logic                fetch_err, fetch_dispatch;
  logic [ErrorW-1:0]   fetch_err_code;

  vdla_fetch #(
    .BurstBytes(BurstBytes),
    .BlockIn(BlockIn),
    .BlockOut(BlockOut),
    .InpDepth(InpDepth),
    .WgtDepth(WgtDepth),
    .AccDepth(AccDepth),
    .OutDepth(OutDepth),
    .ParDepth(ParDepth),
    .UopDepth(UopDepth)
  ) u_fetch (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .halt_i       (halt_i),
    .start_i      (start_i),
    .insn_offset_i(insn_offset_i),
    .insn_count_i (insn_count_i),
    .window_base_i(window_base_i[vdla_isa_pkg::WindowInsn*AddrW +: AddrW]),
    .window_size_i(window_size_i[vdla_isa_pkg::WindowInsn*AddrW +: AddrW]),
    .finish_o     (finish_o),
    .sequence_o   (sequence_o),
    .read_valid_o (fetch_read_valid),
    .read_ready_i (fetch_read_ready),
    .read_addr_o  (fetch_read_addr),
    .read_len_o   (fetch_read_len),
    .beat_valid_i (fetch_beat),
    .beat_i       (rdata),
    .beat_error_i (rerror),
    .queue_valid_o(queue_valid),
    .queue_ready_i(queue_ready),
    .insn_o       (insn),
    .index_o      (insn_index),
    .unit_idle_i  (unit_idle),
    .err_valid_o  (fetch_err),
    .err_code_o   (fetch_err_code),
    .err_addr_o   (fetch_err_addr),
    .active_o     (fetch_active),
    .waiting_o    (fetch_waiting),
    .drain_o      (event_drain_o),
    .dispatch_o   (fetch_dispatch)
  );

  assign fetch_insn_o     = insn_index;
  assign event_dispatch_o = queue_valid & queue_ready;

  always_comb begin
    fetch_state_o = '0;
    fetch_state_o[vdla_isa_pkg::FetchStateBusyLsb]                  = fetch_active;
    fetch_state_o[vdla_isa_pkg::FetchStateOwedLsb]                  = fetch_owed;
    fetch_state_o[vdla_isa_pkg::FetchStateWaitingQueueLsb +: Units] = fetch_waiting;
  end

  // --- queues and token channels ---
  logic [Units-1:0]          start_valid, start_ready, done, work;
  logic [Units*InsnBits-1:0] start_insn;
  logic [Units*IndexW-1:0]   start_index;
  logic [Units*WordW-1:0]    front_state;
  logic [Units*Units-1:0]    pop_valid, pop_ready, push_valid, push_ready;  // [unit][unit at the other end]

  for (genvar u = 0; u < Units; u++) begin : gen_front
    vdla_unit_front #(
      .QueueDepth(QueueDepth)
    ) u_front (
      .clk_i         (clk_i),
      .rst_i         (rst_i),
      .halt_i        (halt_i),
      .insn_valid_i  (queue_valid[u]),
      .insn_ready_o  (queue_ready[u]),
      .insn_i        (insn),
      .insn_index_i  (insn_index),
      .start_valid_o (start_valid[u]),
      .start_ready_i (start_ready[u]),
      .start_insn_o  (start_insn[u*InsnBits +: InsnBits]),
      .start_index_o (start_index[u*IndexW +: IndexW]),
      .done_i        (done[u]),
      .pop_valid_i   (pop_valid[u*Units +: Units]),
      .pop_ready_o   (pop_ready[u*Units +: Units]),
      .push_valid_o  (push_valid[u*Units +: Units]),
      .push_ready_i  (push_ready[u*Units +: Units]),
      .insn_o        (insn_o[u*IndexW +: IndexW]),
      .state_o       (front_state[u*WordW +: WordW]),
      .idle_o        (unit_idle[u]),
      .running_o     (running_o[u]),
      .token_stall_o (token_stall_o[u]),
      .start_o       (event_start_o[u]),
      .event_o       (event_o[u]),
      .retire_o      (event_retire_o[u]),
      .retire_index_o(event_retire_index_o[u*IndexW +: IndexW])
    );
    for (genvar c = 0; c < Units; c++) begin : gen_channel
      if (c == u) begin : gen_none
        assign push_ready[u*Units+c] = 1'b1;
        assign pop_valid[c*Units+u]  = 1'b1;
      end else begin : gen_gate
        vdla_dep_gate #(
          .Depth(TokenDepth)
        ) u_gate (
          .clk_i       (clk_i),
          .rst_i       (rst_i),
          .push_valid_i(push_valid[u*Units+c]),
          .push_ready_o(push_ready[u*Units+c]),
          .pop_valid_o (pop_valid[c*Units+u]),
          .pop_ready_i (pop_ready[c*Units+u])
        );
      end
    end
  end
  assign event_start_index_o = start_index;
  assign event_o[Units]      = fetch_dispatch;

  always_comb begin
    state_o = front_state;
    state_o[Load*WordW + vdla_isa_pkg::UnitStateOwedLsb]  = load_owed;
    state_o[Store*WordW + vdla_isa_pkg::UnitStateOwedLsb] = !write_idle;
  end

  // --- load ---
  logic               load_read_valid, load_read_ready, load_beat, load_beat_ready, load_write, load_widen, load_fill, load_err;
  logic [AddrW-1:0]   load_read_addr, load_err_addr;
  logic [BeatW-1:0]   load_data;
  logic [LenW-1:0]    load_read_len;
  logic [IndexW-1:0]  load_read_insn, load_err_insn;
  logic [BufferW-1:0] load_buffer;
  logic [ErrorW-1:0]  load_err_code;
  logic [EntryW-1:0]  load_entry;
  logic [ChunkW-1:0]  load_chunk;

  vdla_load #(
    .BurstBytes(BurstBytes),
    .Batch(Batch),
    .BlockIn(BlockIn),
    .BlockOut(BlockOut),
    .InpDepth(InpDepth),
    .WgtDepth(WgtDepth),
    .OutDepth(OutDepth),
    .ParDepth(ParDepth),
    .UopDepth(UopDepth),
    .Outstanding(Outstanding)
  ) u_load (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .halt_i        (halt_i),
    .window_base_i (window_base_i),
    .window_size_i (window_size_i),
    .start_valid_i (start_valid[Load]),
    .start_ready_o (start_ready[Load]),
    .start_insn_i  (start_insn[Load*InsnBits +: InsnBits]),
    .start_index_i (start_index[Load*IndexW +: IndexW]),
    .done_o        (done[Load]),
    .read_valid_o  (load_read_valid),
    .read_ready_i  (load_read_ready),
    .read_addr_o   (load_read_addr),
    .read_len_o    (load_read_len),
    .read_insn_o   (load_read_insn),
    .beat_valid_i  (load_beat),
    .beat_ready_o  (load_beat_ready),
    .beat_i        (rdata),
    .write_valid_o (load_write),
    .write_buffer_o(load_buffer),
    .write_widen_o (load_widen),
    .write_fill_o  (load_fill),
    .write_entry_o (load_entry),
    .write_chunk_o (load_chunk),
    .write_data_o  (load_data),
    .err_valid_o   (load_err),
    .err_code_o    (load_err_code),
    .err_insn_o    (load_err_insn),
    .err_addr_o    (load_err_addr),
    .busy_o        (work[Load])
  );

  // --- gemm ---
  logic                  uop_re, operand_re, gemm_acc_re, gemm_acc_we, gemm_err;
  logic [UopAW-1:0]      uop_addr;
  logic [InpAW-1:0]      gemm_inp_addr;
  logic [WgtAW-1:0]      wgt_addr;
  logic [AccAW-1:0]      gemm_acc_raddr, gemm_acc_waddr;
  logic [AddrW-1:0]      gemm_err_addr;
  logic [IndexW-1:0]     gemm_err_insn;
  logic [UopWidth-1:0]   uop;
  logic [InpWidth-1:0]   inp_data;
  logic [WgtWidth-1:0]   wgt_data;
  logic [2*AccWidth-1:0] acc_data;
  logic [AccWidth-1:0]   gemm_acc_wdata;

  vdla_gemm #(
    .Batch(Batch),
    .BlockIn(BlockIn),
    .BlockOut(BlockOut),
    .InpDepth(InpDepth),
    .WgtDepth(WgtDepth),
    .AccDepth(AccDepth),
    .UopDepth(UopDepth)
  ) u_gemm (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .halt_i       (halt_i),
    .start_valid_i(start_valid[Gemm]),
    .start_ready_o(start_ready[Gemm]),
    .start_insn_i (start_insn[Gemm*InsnBits +: InsnBits]),
    .start_index_i(start_index[Gemm*IndexW +: IndexW]),
    .done_o       (done[Gemm]),
    .uop_re_o     (uop_re),
    .uop_addr_o   (uop_addr),
    .uop_i        (uop),
    .operand_re_o (operand_re),
    .inp_addr_o   (gemm_inp_addr),
    .wgt_addr_o   (wgt_addr),
    .inp_i        (inp_data),
    .wgt_i        (wgt_data),
    .acc_re_o     (gemm_acc_re),
    .acc_raddr_o  (gemm_acc_raddr),
    .acc_banks_i  (acc_data),
    .acc_we_o     (gemm_acc_we),
    .acc_waddr_o  (gemm_acc_waddr),
    .acc_wdata_o  (gemm_acc_wdata),
    .err_valid_o  (gemm_err),
    .err_insn_o   (gemm_err_insn),
    .err_addr_o   (gemm_err_addr),
    .busy_o       (work[Gemm]),
    .step_o       (event_work_o[Gemm])
  );

  // --- vector ---
  logic                acc_a_want, acc_a_grant, acc_a_re, acc_c_want, acc_c_grant, acc_c_re, acc_w_want, acc_w_grant, acc_we;
  logic                inp_grant, vector_inp_re, out_grant, vector_out_re;
  logic                vector_inp_we, inp_w_grant, vector_out_we, out_w_grant, par_re, vector_err;
  logic [AccAW-1:0]    acc_a_addr, acc_c_addr, acc_waddr;
  logic [AccWidth-1:0] acc_wdata;
  logic [EntryW-1:0]   vector_raddr, vector_waddr;
  logic [OutWidth-1:0] vector_wdata, out_data;
  logic [ParAW-1:0]    par_addr;
  logic [ParWidth-1:0] par_data;
  logic [IndexW-1:0]   vector_err_insn;
  logic [AddrW-1:0]    vector_err_addr;

  vdla_vector #(
    .Batch(Batch),
    .BlockIn(BlockIn),
    .BlockOut(BlockOut),
    .InpDepth(InpDepth),
    .AccDepth(AccDepth),
    .OutDepth(OutDepth),
    .ParDepth(ParDepth)
  ) u_vector (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .halt_i       (halt_i),
    .start_valid_i(start_valid[Vector]),
    .start_ready_o(start_ready[Vector]),
    .start_insn_i (start_insn[Vector*InsnBits +: InsnBits]),
    .start_index_i(start_index[Vector*IndexW +: IndexW]),
    .done_o       (done[Vector]),
    .acc_a_want_o (acc_a_want),
    .acc_a_grant_i(acc_a_grant),
    .acc_a_re_o   (acc_a_re),
    .acc_a_addr_o (acc_a_addr),
    .acc_c_want_o (acc_c_want),
    .acc_c_grant_i(acc_c_grant),
    .acc_c_re_o   (acc_c_re),
    .acc_c_addr_o (acc_c_addr),
    .acc_banks_i  (acc_data),
    .acc_w_want_o (acc_w_want),
    .acc_w_grant_i(acc_w_grant),
    .acc_we_o     (acc_we),
    .acc_waddr_o  (acc_waddr),
    .acc_wdata_o  (acc_wdata),
    .inp_grant_i  (inp_grant),
    .inp_re_o     (vector_inp_re),
    .inp_i        (inp_data),
    .out_grant_i  (out_grant),
    .out_re_o     (vector_out_re),
    .out_i        (out_data),
    .read_addr_o  (vector_raddr),
    .inp_we_o     (vector_inp_we),
    .inp_w_grant_i(inp_w_grant),
    .out_we_o     (vector_out_we),
    .out_w_grant_i(out_w_grant),
    .write_addr_o (vector_waddr),
    .write_data_o (vector_wdata),
    .par_re_o     (par_re),
    .par_addr_o   (par_addr),
    .par_i        (par_data),
    .err_valid_o  (vector_err),
    .err_insn_o   (vector_err_insn),
    .err_addr_o   (vector_err_addr),
    .busy_o       (work[Vector]),
    .step_o       (event_work_o[Vector]),
    .bank_stall_o (event_bank_stall_o)
  );

  // --- store ---
  logic                 store_out_re, write_valid, write_ready, write_last, beat_valid, beat_ready, store_err;
  logic [OutAW-1:0]     store_out_addr;
  logic [AddrW-1:0]     write_addr, store_err_addr;
  logic [LenW-1:0]      write_len;
  logic [BeatW-1:0]     beat;
  logic [BeatBytes-1:0] beat_strb;
  logic [ErrorW-1:0]    store_err_code;
  logic [IndexW-1:0]    store_err_insn, write_insn;

  vdla_store #(
    .BurstBytes(BurstBytes),
    .Batch(Batch),
    .BlockIn(BlockIn),
    .BlockOut(BlockOut),
    .OutDepth(OutDepth)
  ) u_store (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .halt_i       (halt_i),
    .window_base_i(window_base_i),
    .window_size_i(window_size_i),
    .start_valid_i(start_valid[Store]),
    .start_ready_o(start_ready[Store]),
    .start_insn_i (start_insn[Store*InsnBits +: InsnBits]),
    .start_index_i(start_index[Store*IndexW +: IndexW]),
    .out_re_o     (store_out_re),
    .out_addr_o   (store_out_addr),
    .out_i        (out_data),
    .write_valid_o(write_valid),
    .write_ready_i(write_ready),
    .write_addr_o (write_addr),
    .write_len_o  (write_len),
    .write_last_o (write_last),
    .write_insn_o (write_insn),
    .beat_valid_o (beat_valid),
    .beat_ready_i (beat_ready),
    .beat_o       (beat),
    .beat_strb_o  (beat_strb),
    .err_valid_o  (store_err),
    .err_code_o   (store_err_code),
    .err_insn_o   (store_err_insn),
    .err_addr_o   (store_err_addr),
    .busy_o       (work[Store])
  );

  // --- buffers ---
  vdla_byte_mem #(
    .Rows    (Batch),
    .RowBytes(BlockIn),
    .Depth   (InpDepth)
  ) u_inp (
    .clk_i         (clk_i),
    .first_re_i    (operand_re),
    .first_addr_i  (gemm_inp_addr),
    .second_grant_o(inp_grant),
    .second_re_i   (vector_inp_re),
    .second_addr_i (vector_raddr[InpAW-1:0]),
    .rdata_o       (inp_data),
    .load_we_i     (load_write && load_buffer == vdla_isa_pkg::BufferInp),
    .load_fill_i   (load_fill),
    .load_addr_i   (load_entry[InpAW-1:0]),
    .load_chunk_i  (load_chunk),
    .load_data_i   (load_data),
    .vector_grant_o(inp_w_grant),
    .vector_we_i   (vector_inp_we),
    .vector_addr_i (vector_waddr[InpAW-1:0]),
    // the instruction check lets vector write inp only where BlockIn == BlockOut
    .vector_data_i (InpWidth'(vector_wdata))
  );

  vdla_byte_mem #(
    .Rows    (Batch),
    .RowBytes(BlockOut),
    .Depth   (OutDepth)
  ) u_out (
    .clk_i         (clk_i),
    .first_re_i    (store_out_re),
    .first_addr_i  (store_out_addr),
    .second_grant_o(out_grant),
    .second_re_i   (vector_out_re),
    .second_addr_i (vector_raddr[OutAW-1:0]),
    .rdata_o       (out_data),
    .load_we_i     (load_write && load_buffer == vdla_isa_pkg::BufferOut),
    .load_fill_i   (load_fill),
    .load_addr_i   (load_entry[OutAW-1:0]),
    .load_chunk_i  (load_chunk),
    .load_data_i   (load_data),
    .vector_grant_o(out_w_grant),
    .vector_we_i   (vector_out_we),
    .vector_addr_i (vector_waddr[OutAW-1:0]),
    .vector_data_i (vector_wdata)
  );

  vdla_acc_mem #(
    .Width(AccWidth),
    .Depth(AccDepth)
  ) u_acc (
    .clk_i       (clk_i),
    .gemm_re_i   (gemm_acc_re),
    .gemm_raddr_i(gemm_acc_raddr),
    .gemm_we_i   (gemm_acc_we),
    .gemm_waddr_i(gemm_acc_waddr),
    .gemm_wdata_i(gemm_acc_wdata),
    .c_want_i    (acc_c_want),
    .c_grant_o   (acc_c_grant),
    .c_re_i      (acc_c_re),
    .c_addr_i    (acc_c_addr),
    .a_want_i    (acc_a_want),
    .a_grant_o   (acc_a_grant),
    .a_re_i      (acc_a_re),
    .a_addr_i    (acc_a_addr),
    .w_want_i    (acc_w_want),
    .w_grant_o   (acc_w_grant),
    .we_i        (acc_we),
    .waddr_i     (acc_waddr),
    .wdata_i     (acc_wdata),
    .rdata_o     (acc_data)
  );

  vdla_load_mem #(
    .BlockIn (BlockIn),
    .BlockOut(BlockOut),
    .WgtDepth(WgtDepth),
    .ParDepth(ParDepth),
    .UopDepth(UopDepth)
  ) u_load_mem (
    .clk_i       (clk_i),
    .wgt_we_i    (load_write && load_buffer == vdla_isa_pkg::BufferWgt),
    .par_we_i    (load_write && load_buffer == vdla_isa_pkg::BufferPar),
    .uop_we_i    (load_write && load_buffer == vdla_isa_pkg::BufferUop),
    .load_fill_i (load_fill),
    .load_widen_i(load_widen),
    .load_addr_i (load_entry),
    .load_chunk_i(load_chunk),
    .load_data_i (load_data),
    .wgt_re_i    (operand_re),
    .wgt_addr_i  (wgt_addr),
    .wgt_o       (wgt_data),
    .uop_re_i    (uop_re),
    .uop_addr_i  (uop_addr),
    .uop_o       (uop),
    .par_re_i    (par_re),
    .par_addr_i  (par_addr),
    .par_o       (par_data)
  );

  // --- bus ---
  logic              read_idle, read_err, write_err;
  logic [IndexW-1:0] read_err_insn, write_err_insn;
  logic [AddrW-1:0]  read_err_addr, write_err_addr;

  vdla_axi_read #(
    .Outstanding(Outstanding)
  ) u_axi_read (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .halt_i        (halt_i),
    .idle_o        (read_idle),
    .fetch_valid_i (fetch_read_valid),
    .fetch_ready_o (fetch_read_ready),
    .fetch_addr_i  (fetch_read_addr),
    .fetch_len_i   (fetch_read_len),
    .fetch_rvalid_o(fetch_beat),
    .fetch_owed_o  (fetch_owed),
    .load_valid_i  (load_read_valid),
    .load_ready_o  (load_read_ready),
    .load_addr_i   (load_read_addr),
    .load_len_i    (load_read_len),
    .load_insn_i   (load_read_insn),
    .load_owed_o   (load_owed),
    .load_rvalid_o (load_beat),
    .load_rready_i (load_beat_ready),
    .rdata_o       (rdata),
    .rerror_o      (rerror),
    .err_valid_o   (read_err),
    .err_insn_o    (read_err_insn),
    .err_addr_o    (read_err_addr),
    .ar_load_o     (event_read_load_o),
    .axi_arvalid_o (axi_arvalid_o),
    .axi_arready_i (axi_arready_i),
    .axi_araddr_o  (axi_araddr_o),
    .axi_arlen_o   (axi_arlen_o),
    .axi_rvalid_i  (axi_rvalid_i),
    .axi_rready_o  (axi_rready_o),
    .axi_rdata_i   (axi_rdata_i),
    .axi_rresp_i   (axi_rresp_i),
    .axi_rlast_i   (axi_rlast_i)
  );

  vdla_axi_write u_axi_write (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .halt_i       (halt_i),
    .idle_o       (write_idle),
    .burst_valid_i(write_valid),
    .burst_ready_o(write_ready),
    .burst_addr_i (write_addr),
    .burst_len_i  (write_len),
    .burst_last_i (write_last),
    .burst_insn_i (write_insn),
    .data_valid_i (beat_valid),
    .data_ready_o (beat_ready),
    .data_i       (beat),
    .strb_i       (beat_strb),
    .done_o       (done[Store]),
    .err_valid_o  (write_err),
    .err_insn_o   (write_err_insn),
    .err_addr_o   (write_err_addr),
    .axi_awvalid_o(axi_awvalid_o),
    .axi_awready_i(axi_awready_i),
    .axi_awaddr_o (axi_awaddr_o),
    .axi_awlen_o  (axi_awlen_o),
    .axi_wvalid_o (axi_wvalid_o),
    .axi_wready_i (axi_wready_i),
    .axi_wdata_o  (axi_wdata_o),
    .axi_wstrb_o  (axi_wstrb_o),
    .axi_wlast_o  (axi_wlast_o),
    .axi_bvalid_i (axi_bvalid_i),
    .axi_bready_o (axi_bready_o),
    .axi_bresp_i  (axi_bresp_i)
  );

  assign bus_idle_o = read_idle && write_idle;

  // --- errors: of the bus before the unit's own ---
  assign err_valid_o   = {fetch_err, store_err || write_err, vector_err, gemm_err, load_err || read_err};
  assign err_code_o    = {fetch_err_code,
                          write_err ? vdla_isa_pkg::ErrorBusWrite : store_err_code,
                          vdla_isa_pkg::ErrorSramBounds,
                          vdla_isa_pkg::ErrorSramBounds,
                          read_err ? vdla_isa_pkg::ErrorBusRead : load_err_code};
  assign err_insn_o    = {insn_index,
                          write_err ? write_err_insn : store_err_insn,
                          vector_err_insn,
                          gemm_err_insn,
                          read_err ? read_err_insn : load_err_insn};
  assign err_addr_o    = {fetch_err_addr,
                          write_err ? write_err_addr : store_err_addr,
                          vector_err_addr,
                          gemm_err_addr,
                          read_err ? read_err_addr : load_err_addr};

  assign event_work_o[Load]  = work[Load];
  assign event_work_o[Store] = work[Store];

  assign progress_o = event_o != '0 || work != '0;

  logic unused;
  assign unused = ^{vector_raddr, vector_waddr};

  `VDLA_ASSERT_INIT(BurstsOfAxi4OrAxi3, BurstBytes == 256 || BurstBytes == 128)

endmodule
