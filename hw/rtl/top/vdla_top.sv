// SPDX-License-Identifier: Apache-2.0
// The machine: AXI4-Lite registers, AXI4 master with 64-bit data, interrupt. Parameters are the fields of the geometry.

`include "vdla_assert.svh"

module vdla_top #(
  parameter  int unsigned BurstBytes   = 256,  // bytes of the longest burst: 256 (AXI4), 128 (16 beats, as AXI3 has)
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
  parameter  logic [63:0] GeometryHash = 64'd0,
  // facts of the design around it; 0: not stated
  parameter  logic [31:0] BuildId      = 32'd0,
  parameter  logic [31:0] ClockKhz     = 32'd0,
  parameter  int unsigned AddressBits  = 64,
  localparam int unsigned AddrW        = vdla_isa_pkg::RegisterBits,
  localparam int unsigned Units        = vdla_isa_pkg::QueueUnits,
  localparam int unsigned PageW        = vdla_pkg::PageBits,
  localparam int unsigned MemAddrW     = vdla_pkg::AddrBits,
  localparam int unsigned IndexW       = vdla_pkg::InsnIndexBits,
  localparam int unsigned WordW        = vdla_pkg::WordBits,
  localparam int unsigned WordBytes    = vdla_pkg::WordBytes,
  localparam int unsigned BeatW        = vdla_pkg::BeatBits,
  localparam int unsigned BeatBytes    = vdla_pkg::BeatBytes,
  localparam int unsigned LenW         = vdla_pkg::LenBits
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    irq_o,
  // AXI4-Lite slave
  input  logic                    axil_awvalid_i,
  output logic                    axil_awready_o,
  input  logic [PageW-1:0]        axil_awaddr_i,
  input  logic                    axil_wvalid_i,
  output logic                    axil_wready_o,
  input  logic [WordW-1:0]        axil_wdata_i,
  input  logic [WordBytes-1:0]    axil_wstrb_i,
  output logic                    axil_bvalid_o,
  input  logic                    axil_bready_i,
  output logic [1:0]              axil_bresp_o,
  input  logic                    axil_arvalid_i,
  output logic                    axil_arready_o,
  input  logic [PageW-1:0]        axil_araddr_i,
  output logic                    axil_rvalid_o,
  input  logic                    axil_rready_i,
  output logic [WordW-1:0]        axil_rdata_o,
  output logic [1:0]              axil_rresp_o,
  // AXI4 master, one identifier
  output logic                    axi_arvalid_o,
  input  logic                    axi_arready_i,
  output logic [MemAddrW-1:0]     axi_araddr_o,
  output logic [LenW-1:0]         axi_arlen_o,
  output logic [2:0]              axi_arsize_o,
  output logic [1:0]              axi_arburst_o,
  input  logic                    axi_rvalid_i,
  output logic                    axi_rready_o,
  input  logic [BeatW-1:0]        axi_rdata_i,
  input  logic [1:0]              axi_rresp_i,
  input  logic                    axi_rlast_i,
  output logic                    axi_awvalid_o,
  input  logic                    axi_awready_i,
  output logic [MemAddrW-1:0]     axi_awaddr_o,
  output logic [LenW-1:0]         axi_awlen_o,
  output logic [2:0]              axi_awsize_o,
  output logic [1:0]              axi_awburst_o,
  output logic                    axi_wvalid_o,
  input  logic                    axi_wready_i,
  output logic [BeatW-1:0]        axi_wdata_o,
  output logic [BeatBytes-1:0]    axi_wstrb_o,
  output logic                    axi_wlast_o,
  input  logic                    axi_bvalid_i,
  output logic                    axi_bready_o,
  input  logic [1:0]              axi_bresp_i,
  // events for traces: load, gemm, vector, store
  output logic                    event_busy_o,          // the machine runs
  output logic                    event_progress_o,
  output logic                    event_run_o,           // the first cycle of a run
  output logic [IndexW-1:0]       event_fetch_index_o,
  output logic [WordW-1:0]        event_fetch_state_o,
  output logic [Units*WordW-1:0]  event_state_o,
  output logic [Units*IndexW-1:0] event_insn_o,
  output logic [Units-1:0]        event_dispatch_o,
  output logic [Units-1:0]        event_start_o,
  output logic [Units*IndexW-1:0] event_start_index_o,
  output logic [Units-1:0]        event_retire_o,
  output logic [Units*IndexW-1:0] event_retire_index_o,
  output logic [Units-1:0]        event_work_o,
  output logic                    event_bank_stall_o,
  output logic                    event_drain_o,
  output logic                    event_read_load_o      // the address on AR is load's, not fetch's
);

  localparam int unsigned WindowsW  = vdla_isa_pkg::Windows * MemAddrW;
  localparam int unsigned ErrorW    = vdla_isa_pkg::ErrorBits;
  localparam int unsigned SequenceW = vdla_isa_pkg::FinishSequenceWidth;
  localparam int unsigned CounterW  = 2 * WordW;
  localparam int unsigned ByteW     = vdla_pkg::ByteBits;  // a byte of its beat
  localparam int unsigned Load      = 0;
  localparam int unsigned Gemm      = 1;
  localparam int unsigned Vector    = 2;
  localparam int unsigned Store     = 3;
  localparam int unsigned Fetch     = 4;

  logic                          wr_en, unit_rst, start, halt, finish, bus_idle, progress;
  logic [Units:0]                unit_event;
  logic [(Units+1)*WordW-1:0]    since;
  logic [AddrW-1:0]              wr_addr, rd_addr;
  logic [WordW-1:0]              wr_data, rd_data, control, status, irq_set, irq_status;
  logic [WordBytes-1:0]          wr_strb;
  logic [SequenceW-1:0]          finish_sequence, sequence_last;
  logic [WordW-1:0]              insn_offset, stall_limit, error_code, error_unit, fetch_state;
  logic [IndexW-1:0]             insn_count, error_insn, fetch_insn;
  logic [MemAddrW-1:0]           error_addr;
  logic [CounterW-1:0]           cycles, read_bytes, write_bytes;
  logic [Units*IndexW-1:0]       unit_insn;
  logic [Units*WordW-1:0]        unit_state, unit_busy, unit_stall;
  logic [Units-1:0]              running, token_stall;
  logic [WindowsW-1:0]           window_base, window_size;
  logic [Units:0]                err_valid;
  logic [(Units+1)*ErrorW-1:0]   err_code;
  logic [(Units+1)*IndexW-1:0]   err_insn;
  logic [(Units+1)*MemAddrW-1:0] err_addr;

  vdla_axil u_axil (
    .clk_i         (clk_i),
    .rst_i         (rst_i),
    .axil_awvalid_i(axil_awvalid_i),
    .axil_awready_o(axil_awready_o),
    .axil_awaddr_i (axil_awaddr_i),
    .axil_wvalid_i (axil_wvalid_i),
    .axil_wready_o (axil_wready_o),
    .axil_wdata_i  (axil_wdata_i),
    .axil_wstrb_i  (axil_wstrb_i),
    .axil_bvalid_o (axil_bvalid_o),
    .axil_bready_i (axil_bready_i),
    .axil_arvalid_i(axil_arvalid_i),
    .axil_arready_o(axil_arready_o),
    .axil_araddr_i (axil_araddr_i),
    .axil_rvalid_o (axil_rvalid_o),
    .axil_rready_i (axil_rready_i),
    .axil_rdata_o  (axil_rdata_o),
    .wr_en_o       (wr_en),
    .wr_addr_o     (wr_addr),
    .wr_data_o     (wr_data),
    .wr_strb_o     (wr_strb),
    .rd_addr_o     (rd_addr),
    .rd_data_i     (rd_data)
  );
  assign axil_bresp_o = 2'b00;
  assign axil_rresp_o = 2'b00;

  vdla_regs #(
    // isagen geometry registers
    .GeometryBatch     (Batch),
    .GeometryBlockIn   (BlockIn),
    .GeometryBlockOut  (BlockOut),
    .GeometryInpDepth  (InpDepth),
    .GeometryWgtDepth  (WgtDepth),
    .GeometryAccDepth  (AccDepth),
    .GeometryOutDepth  (OutDepth),
    .GeometryParDepth  (ParDepth),
    .GeometryUopDepth  (UopDepth),
    .GeometryQueueDepth(QueueDepth),
    .GeometryTokenDepth(TokenDepth),
    // end isagen
    .GeometryHash      (GeometryHash),
    .BuildId           (BuildId),
    .ClockKhz          (ClockKhz),
    .AddressBits       (AddressBits)
  ) u_regs (
    .clk_i               (clk_i),
    .rst_i               (rst_i),
    .wr_en_i             (wr_en),
    .wr_addr_i           (wr_addr),
    .wr_data_i           (wr_data),
    .wr_strb_i           (wr_strb),
    .rd_addr_i           (rd_addr),
    .rd_data_o           (rd_data),
    .control_o           (control),
    .status_i            (status),
    .irq_status_set_i    (irq_set),
    .irq_status_o        (irq_status),
    .sequence_i          (sequence_last),
    .insn_offset_o       (insn_offset),
    .insn_count_o        (insn_count),
    .stall_limit_o       (stall_limit),
    .error_code_i        (error_code),
    .error_unit_i        (error_unit),
    .error_insn_i        (error_insn),
    .error_addr_i        (error_addr),
    .load_insn_i         (unit_insn[Load*IndexW +: IndexW]),
    .load_state_i        (unit_state[Load*WordW +: WordW]),
    .gemm_insn_i         (unit_insn[Gemm*IndexW +: IndexW]),
    .gemm_state_i        (unit_state[Gemm*WordW +: WordW]),
    .vector_insn_i       (unit_insn[Vector*IndexW +: IndexW]),
    .vector_state_i      (unit_state[Vector*WordW +: WordW]),
    .store_insn_i        (unit_insn[Store*IndexW +: IndexW]),
    .store_state_i       (unit_state[Store*WordW +: WordW]),
    .fetch_insn_i        (fetch_insn),
    .fetch_state_i       (fetch_state),
    .cycles_i            (cycles),
    .read_bytes_i        (read_bytes),
    .write_bytes_i       (write_bytes),
    .load_busy_i         (unit_busy[Load*WordW +: WordW]),
    .load_token_stall_i  (unit_stall[Load*WordW +: WordW]),
    .gemm_busy_i         (unit_busy[Gemm*WordW +: WordW]),
    .gemm_token_stall_i  (unit_stall[Gemm*WordW +: WordW]),
    .vector_busy_i       (unit_busy[Vector*WordW +: WordW]),
    .vector_token_stall_i(unit_stall[Vector*WordW +: WordW]),
    .store_busy_i        (unit_busy[Store*WordW +: WordW]),
    .store_token_stall_i (unit_stall[Store*WordW +: WordW]),
    .load_since_i        (since[Load*WordW +: WordW]),
    .gemm_since_i        (since[Gemm*WordW +: WordW]),
    .vector_since_i      (since[Vector*WordW +: WordW]),
    .store_since_i       (since[Store*WordW +: WordW]),
    .fetch_since_i       (since[Fetch*WordW +: WordW]),
    .window_base_o       (window_base),
    .window_size_o       (window_size)
  );

  assign irq_o = (control & vdla_isa_pkg::ControlIrqEnable) != '0 && irq_status != '0;

  vdla_control u_control (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .start_i      ((control & vdla_isa_pkg::ControlStart) != '0),
    .soft_reset_i ((control & vdla_isa_pkg::ControlSoftReset) != '0),
    .stall_limit_i(stall_limit),
    .unit_rst_o   (unit_rst),
    .unit_start_o (start),
    .halt_o       (halt),
    .bus_idle_i   (bus_idle),
    .finish_i     (finish),
    .sequence_i   (finish_sequence),
    .err_valid_i  (err_valid),
    .err_code_i   (err_code),
    .err_insn_i   (err_insn),
    .err_addr_i   (err_addr),
    .progress_i   (progress),
    .event_i      (unit_event),
    .read_beat_i  (axi_rvalid_i && axi_rready_o),
    .write_beat_i (axi_wvalid_o && axi_wready_i),
    .running_i    (running),
    .token_stall_i(token_stall),
    .status_o     (status),
    .irq_set_o    (irq_set),
    .sequence_o   (sequence_last),
    .error_code_o (error_code),
    .error_unit_o (error_unit),
    .error_insn_o (error_insn),
    .error_addr_o (error_addr),
    .cycles_o     (cycles),
    .read_bytes_o (read_bytes),
    .write_bytes_o(write_bytes),
    .busy_o       (unit_busy),
    .token_stall_o(unit_stall),
    .since_o      (since)
  );

  vdla_core #(
    // isagen geometry connections
    .Batch       (Batch),
    .BlockIn     (BlockIn),
    .BlockOut    (BlockOut),
    .InpDepth    (InpDepth),
    .WgtDepth    (WgtDepth),
    .AccDepth    (AccDepth),
    .OutDepth    (OutDepth),
    .ParDepth    (ParDepth),
    .UopDepth    (UopDepth),
    .QueueDepth  (QueueDepth),
    .TokenDepth  (TokenDepth),
    // end isagen
    .BurstBytes  (BurstBytes)
  ) u_core (
    .clk_i               (clk_i),
    .rst_i               (unit_rst),
    .start_i             (start),
    .halt_i              (halt),
    .insn_offset_i       (insn_offset),
    .insn_count_i        (insn_count),
    .window_base_i       (window_base),
    .window_size_i       (window_size),
    .finish_o            (finish),
    .sequence_o          (finish_sequence),
    .bus_idle_o          (bus_idle),
    .progress_o          (progress),
    .event_o             (unit_event),
    .err_valid_o         (err_valid),
    .err_code_o          (err_code),
    .err_insn_o          (err_insn),
    .err_addr_o          (err_addr),
    .insn_o              (unit_insn),
    .state_o             (unit_state),
    .fetch_insn_o        (fetch_insn),
    .fetch_state_o       (fetch_state),
    .running_o           (running),
    .token_stall_o       (token_stall),
    .event_dispatch_o    (event_dispatch_o),
    .event_start_o       (event_start_o),
    .event_start_index_o (event_start_index_o),
    .event_retire_o      (event_retire_o),
    .event_retire_index_o(event_retire_index_o),
    .event_work_o        (event_work_o),
    .event_bank_stall_o  (event_bank_stall_o),
    .event_drain_o       (event_drain_o),
    .event_read_load_o   (event_read_load_o),
    .axi_arvalid_o       (axi_arvalid_o),
    .axi_arready_i       (axi_arready_i),
    .axi_araddr_o        (axi_araddr_o),
    .axi_arlen_o         (axi_arlen_o),
    .axi_rvalid_i        (axi_rvalid_i),
    .axi_rready_o        (axi_rready_o),
    .axi_rdata_i         (axi_rdata_i),
    .axi_rresp_i         (axi_rresp_i),
    .axi_rlast_i         (axi_rlast_i),
    .axi_awvalid_o       (axi_awvalid_o),
    .axi_awready_i       (axi_awready_i),
    .axi_awaddr_o        (axi_awaddr_o),
    .axi_awlen_o         (axi_awlen_o),
    .axi_wvalid_o        (axi_wvalid_o),
    .axi_wready_i        (axi_wready_i),
    .axi_wdata_o         (axi_wdata_o),
    .axi_wstrb_o         (axi_wstrb_o),
    .axi_wlast_o         (axi_wlast_o),
    .axi_bvalid_i        (axi_bvalid_i),
    .axi_bready_o        (axi_bready_o),
    .axi_bresp_i         (axi_bresp_i)
  );

  assign axi_arsize_o  = 3'(ByteW);
  assign axi_arburst_o = 2'b01;
  assign axi_awsize_o  = 3'(ByteW);
  assign axi_awburst_o = 2'b01;

  assign event_busy_o        = (status & vdla_isa_pkg::StatusBusy) != '0;
  assign event_progress_o    = progress || !bus_idle;
  assign event_run_o         = start;
  assign event_fetch_index_o = fetch_insn;
  assign event_fetch_state_o = fetch_state;
  assign event_state_o       = unit_state;
  assign event_insn_o        = unit_insn;

  `VDLA_ASSERT(ReadsWholeBeatsInOrder, axi_arvalid_o |-> axi_arsize_o == 3'(ByteW) && axi_arburst_o == 2'b01 && axi_araddr_o[ByteW-1:0] == '0)
  `VDLA_ASSERT(WritesWholeBeatsInOrder, axi_awvalid_o |-> axi_awsize_o == 3'(ByteW) && axi_awburst_o == 2'b01 && axi_awaddr_o[ByteW-1:0] == '0)
  `VDLA_ASSERT(ReadIsNoLongerThanABurst, axi_arvalid_o |-> 32'(axi_arlen_o) < BurstBytes / BeatBytes)
  `VDLA_ASSERT(WriteIsNoLongerThanABurst, axi_awvalid_o |-> 32'(axi_awlen_o) < BurstBytes / BeatBytes)
  `VDLA_ASSERT(ReadInsidePage, axi_arvalid_o |-> 32'(axi_araddr_o[PageW-1:0]) + 32'({axi_arlen_o, {ByteW{1'b1}}}) < (1 << PageW))
  `VDLA_ASSERT(WriteInsidePage, axi_awvalid_o |-> 32'(axi_awaddr_o[PageW-1:0]) + 32'({axi_awlen_o, {ByteW{1'b1}}}) < (1 << PageW))
  `VDLA_ASSERT(RegisterAccessIsOkay, axil_bresp_o == 2'b00 && axil_rresp_o == 2'b00)

endmodule
