// SPDX-License-Identifier: Apache-2.0
// The machine as a block design instantiates it: AXI's own port names, active-low reset, all signals of an AXI4 or AXI3
// master. docs/integration.md says what each port is for. Plain Verilog: AMD's IP packager takes no top of
// SystemVerilog (UG1118).

module vdla_axi #(
  parameter        Axi3         = 0,       // 1: bursts of 16 beats, lengths of 4 bits, locks of 2 and WID (Zynq-7000); 0: AXI4, bursts of 32 beats
  parameter        IdWidth      = 1,       // the identifier is always 0: answers come in order
  parameter [3:0]  Cache        = 4'b0010, // normal memory; the answer to a write comes from where it ends (not bufferable)
  parameter [2:0]  Prot         = 3'b000,  // data, secure, unprivileged
  // the variant: `vdla build-rtl --export` writes these
  // isagen geometry parameters of Verilog
  parameter        Batch        = 1,
  parameter        BlockIn      = 16,
  parameter        BlockOut     = 16,
  parameter        InpDepth     = 2048,
  parameter        WgtDepth     = 128,
  parameter        AccDepth     = 2048,
  parameter        OutDepth     = 512,
  parameter        ParDepth     = 128,
  parameter        UopDepth     = 4096,
  parameter        QueueDepth   = 16,
  parameter        TokenDepth   = 16,
  // end isagen
  parameter [63:0] GeometryHash = 64'd0,
  // facts of this design for the registers
  parameter [31:0] BuildId      = 32'd0, // any number that tells builds apart; 0: not stated
  parameter [31:0] ClockKhz     = 32'd0, // clock of aclk; 0: not stated
  parameter        AddressBits  = 64     // bits of m_axi_gmem's addresses that reach the memory
) (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi_control:m_axi_gmem, ASSOCIATED_RESET aresetn" *)
  input  wire        aclk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  wire        aresetn,
  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 interrupt INTERRUPT" *)
  (* X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)
  output wire        interrupt,
  // AXI4-Lite slave: the registers, in a page of 4 KiB
  input  wire        s_axi_control_awvalid,
  output wire        s_axi_control_awready,
  input  wire [11:0] s_axi_control_awaddr,
  input  wire [2:0]  s_axi_control_awprot,
  input  wire        s_axi_control_wvalid,
  output wire        s_axi_control_wready,
  input  wire [31:0] s_axi_control_wdata,
  input  wire [3:0]  s_axi_control_wstrb,
  output wire        s_axi_control_bvalid,
  input  wire        s_axi_control_bready,
  output wire [1:0]  s_axi_control_bresp,
  input  wire        s_axi_control_arvalid,
  output wire        s_axi_control_arready,
  input  wire [11:0] s_axi_control_araddr,
  input  wire [2:0]  s_axi_control_arprot,
  output wire        s_axi_control_rvalid,
  input  wire        s_axi_control_rready,
  output wire [31:0] s_axi_control_rdata,
  output wire [1:0]  s_axi_control_rresp,
  // AXI4 or AXI3 master: memory
  output wire        m_axi_gmem_awvalid,
  input  wire        m_axi_gmem_awready,
  output wire [63:0] m_axi_gmem_awaddr,
  output wire [(IdWidth > 1 ? IdWidth : 1)-1:0] m_axi_gmem_awid,
  output wire [(Axi3 != 0 ? 4 : 8)-1:0]         m_axi_gmem_awlen,
  output wire [2:0]  m_axi_gmem_awsize,
  output wire [1:0]  m_axi_gmem_awburst,
  output wire [(Axi3 != 0 ? 2 : 1)-1:0]         m_axi_gmem_awlock,
  output wire [3:0]  m_axi_gmem_awcache,
  output wire [2:0]  m_axi_gmem_awprot,
  output wire [3:0]  m_axi_gmem_awqos,
  output wire [3:0]  m_axi_gmem_awregion,
  output wire        m_axi_gmem_wvalid,
  input  wire        m_axi_gmem_wready,
  output wire [63:0] m_axi_gmem_wdata,
  output wire [7:0]  m_axi_gmem_wstrb,
  output wire        m_axi_gmem_wlast,
  output wire [(IdWidth > 1 ? IdWidth : 1)-1:0] m_axi_gmem_wid,  // AXI3 alone
  input  wire        m_axi_gmem_bvalid,
  output wire        m_axi_gmem_bready,
  input  wire [(IdWidth > 1 ? IdWidth : 1)-1:0] m_axi_gmem_bid,
  input  wire [1:0]  m_axi_gmem_bresp,
  output wire        m_axi_gmem_arvalid,
  input  wire        m_axi_gmem_arready,
  output wire [63:0] m_axi_gmem_araddr,
  output wire [(IdWidth > 1 ? IdWidth : 1)-1:0] m_axi_gmem_arid,
  output wire [(Axi3 != 0 ? 4 : 8)-1:0]         m_axi_gmem_arlen,
  output wire [2:0]  m_axi_gmem_arsize,
  output wire [1:0]  m_axi_gmem_arburst,
  output wire [(Axi3 != 0 ? 2 : 1)-1:0]         m_axi_gmem_arlock,
  output wire [3:0]  m_axi_gmem_arcache,
  output wire [2:0]  m_axi_gmem_arprot,
  output wire [3:0]  m_axi_gmem_arqos,
  output wire [3:0]  m_axi_gmem_arregion,
  input  wire        m_axi_gmem_rvalid,
  output wire        m_axi_gmem_rready,
  input  wire [(IdWidth > 1 ? IdWidth : 1)-1:0] m_axi_gmem_rid,
  input  wire [63:0] m_axi_gmem_rdata,
  input  wire [1:0]  m_axi_gmem_rresp,
  input  wire        m_axi_gmem_rlast
);

  localparam LenW = Axi3 != 0 ? 4 : 8;

  // One flip-flop takes the reset, which may come at any time, into the clock; all others see it from there.
  reg        rst_q;
  wire [7:0] arlen, awlen;

  always @(posedge aclk) rst_q <= !aresetn;

  assign m_axi_gmem_arlen    = arlen[LenW-1:0];
  assign m_axi_gmem_arid     = 0;
  assign m_axi_gmem_arlock   = 0;
  assign m_axi_gmem_arcache  = Cache;
  assign m_axi_gmem_arprot   = Prot;
  assign m_axi_gmem_arqos    = 4'd0;
  assign m_axi_gmem_arregion = 4'd0;
  assign m_axi_gmem_awlen    = awlen[LenW-1:0];
  assign m_axi_gmem_awid     = 0;
  assign m_axi_gmem_awlock   = 0;
  assign m_axi_gmem_awcache  = Cache;
  assign m_axi_gmem_awprot   = Prot;
  assign m_axi_gmem_awqos    = 4'd0;
  assign m_axi_gmem_awregion = 4'd0;
  assign m_axi_gmem_wid      = 0;

  vdla_top #(
    .BurstBytes  (Axi3 != 0 ? 128 : 256),
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
    .GeometryHash(GeometryHash),
    .BuildId     (BuildId),
    .ClockKhz    (ClockKhz),
    .AddressBits (AddressBits)
  ) u_top (
    .clk_i               (aclk),
    .rst_i               (rst_q),
    .irq_o               (interrupt),
    .axil_awvalid_i      (s_axi_control_awvalid),
    .axil_awready_o      (s_axi_control_awready),
    .axil_awaddr_i       (s_axi_control_awaddr),
    .axil_wvalid_i       (s_axi_control_wvalid),
    .axil_wready_o       (s_axi_control_wready),
    .axil_wdata_i        (s_axi_control_wdata),
    .axil_wstrb_i        (s_axi_control_wstrb),
    .axil_bvalid_o       (s_axi_control_bvalid),
    .axil_bready_i       (s_axi_control_bready),
    .axil_bresp_o        (s_axi_control_bresp),
    .axil_arvalid_i      (s_axi_control_arvalid),
    .axil_arready_o      (s_axi_control_arready),
    .axil_araddr_i       (s_axi_control_araddr),
    .axil_rvalid_o       (s_axi_control_rvalid),
    .axil_rready_i       (s_axi_control_rready),
    .axil_rdata_o        (s_axi_control_rdata),
    .axil_rresp_o        (s_axi_control_rresp),
    .axi_arvalid_o       (m_axi_gmem_arvalid),
    .axi_arready_i       (m_axi_gmem_arready),
    .axi_araddr_o        (m_axi_gmem_araddr),
    .axi_arlen_o         (arlen),
    .axi_arsize_o        (m_axi_gmem_arsize),
    .axi_arburst_o       (m_axi_gmem_arburst),
    .axi_rvalid_i        (m_axi_gmem_rvalid),
    .axi_rready_o        (m_axi_gmem_rready),
    .axi_rdata_i         (m_axi_gmem_rdata),
    .axi_rresp_i         (m_axi_gmem_rresp),
    .axi_rlast_i         (m_axi_gmem_rlast),
    .axi_awvalid_o       (m_axi_gmem_awvalid),
    .axi_awready_i       (m_axi_gmem_awready),
    .axi_awaddr_o        (m_axi_gmem_awaddr),
    .axi_awlen_o         (awlen),
    .axi_awsize_o        (m_axi_gmem_awsize),
    .axi_awburst_o       (m_axi_gmem_awburst),
    .axi_wvalid_o        (m_axi_gmem_wvalid),
    .axi_wready_i        (m_axi_gmem_wready),
    .axi_wdata_o         (m_axi_gmem_wdata),
    .axi_wstrb_o         (m_axi_gmem_wstrb),
    .axi_wlast_o         (m_axi_gmem_wlast),
    .axi_bvalid_i        (m_axi_gmem_bvalid),
    .axi_bready_o        (m_axi_gmem_bready),
    .axi_bresp_i         (m_axi_gmem_bresp),
    // for traces of simulations, which look inside
    .event_busy_o        (),
    .event_progress_o    (),
    .event_run_o         (),
    .event_fetch_index_o (),
    .event_fetch_state_o (),
    .event_state_o       (),
    .event_insn_o        (),
    .event_dispatch_o    (),
    .event_start_o       (),
    .event_start_index_o (),
    .event_retire_o      (),
    .event_retire_index_o(),
    .event_work_o        (),
    .event_bank_stall_o  (),
    .event_drain_o       (),
    .event_read_load_o   ()
  );

  wire unused;
  assign unused = ^{arlen, awlen, s_axi_control_awprot, s_axi_control_arprot, m_axi_gmem_bid, m_axi_gmem_rid};

`ifdef FORMAL
  `include "vdla_axi.svh"
`endif

endmodule
