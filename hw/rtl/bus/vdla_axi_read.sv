// SPDX-License-Identifier: Apache-2.0
// The AXI4 read channels, shared by fetch (first) and load. Data come back in the order of the addresses (one
// identifier); a queue remembers whose they are. After halt_i nothing new is asked, and what is still on its way is
// thrown away. An error that the memory answers load with is raised here; fetch gets it with the beat.

`include "vdla_assert.svh"

module vdla_axi_read #(
  parameter  int unsigned Outstanding = 64,  // a power of two
  localparam int unsigned AddrW       = vdla_pkg::AddrBits,
  localparam int unsigned IndexW      = vdla_pkg::InsnIndexBits,
  localparam int unsigned BeatW       = vdla_pkg::BeatBits,
  localparam int unsigned LenW        = vdla_pkg::LenBits
) (
  input  logic              clk_i,
  input  logic              rst_i,
  input  logic              halt_i,
  output logic              idle_o,
  // fetch
  input  logic              fetch_valid_i,
  output logic              fetch_ready_o,
  input  logic [AddrW-1:0]  fetch_addr_i,   // a multiple of 8
  input  logic [LenW-1:0]   fetch_len_i,    // beats - 1
  output logic              fetch_rvalid_o, // always taken
  output logic              fetch_owed_o,   // the memory owes fetch the data that come next
  // load
  input  logic              load_valid_i,
  output logic              load_ready_o,
  input  logic [AddrW-1:0]  load_addr_i,
  input  logic [LenW-1:0]   load_len_i,
  input  logic [IndexW-1:0] load_insn_i,
  output logic              load_owed_o,
  output logic              load_rvalid_o,
  input  logic              load_rready_i,
  output logic [BeatW-1:0]  rdata_o,
  output logic              rerror_o,
  // error of a read of load
  output logic              err_valid_o,
  output logic [IndexW-1:0] err_insn_o,
  output logic [AddrW-1:0]  err_addr_o,
  // the burst whose address is on AR
  output logic              ar_load_o,
  // AXI4
  output logic              axi_arvalid_o,
  input  logic              axi_arready_i,
  output logic [AddrW-1:0]  axi_araddr_o,
  output logic [LenW-1:0]   axi_arlen_o,
  input  logic              axi_rvalid_i,
  output logic              axi_rready_o,
  input  logic [BeatW-1:0]  axi_rdata_i,
  input  logic [1:0]        axi_rresp_i,
  input  logic              axi_rlast_i
);

  logic              ar_load_q;
  logic              ar_valid_q, ar_free, grant, order_ready, order_valid, order_load, beat;
  logic [AddrW-1:0]  ar_addr_q, order_addr;
  logic [IndexW-1:0] order_insn;
  logic [LenW-1:0]   ar_len_q;

  // address
  assign ar_free       = (!ar_valid_q || axi_arready_i) && order_ready && !halt_i;
  assign fetch_ready_o = ar_free;
  assign load_ready_o  = ar_free && !fetch_valid_i;
  assign grant         = ar_free && (fetch_valid_i || load_valid_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) ar_valid_q <= 1'b0;
    else if (grant) ar_valid_q <= 1'b1;
    else if (axi_arready_i) ar_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (grant) begin
      ar_addr_q <= fetch_valid_i ? fetch_addr_i : load_addr_i;
      ar_load_q <= !fetch_valid_i;
      ar_len_q  <= fetch_valid_i ? fetch_len_i : load_len_i;
    end
  end

  assign ar_load_o     = ar_load_q;
  assign axi_arvalid_o = ar_valid_q;
  assign axi_araddr_o  = ar_addr_q;
  assign axi_arlen_o   = ar_len_q;

  vdla_fifo #(
    .Width(1 + IndexW + AddrW),
    .Depth(Outstanding)
  ) u_order (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(grant),
    .ready_o(order_ready),
    .data_i (fetch_valid_i ? {1'b0, IndexW'(0), fetch_addr_i} : {1'b1, load_insn_i, load_addr_i}),
    .valid_o(order_valid),
    .ready_i(beat && axi_rlast_i),
    .data_o ({order_load, order_insn, order_addr})
  );

  // data
  assign axi_rready_o   = halt_i || !order_load || load_rready_i;
  assign beat           = axi_rvalid_i && axi_rready_o;
  assign fetch_rvalid_o = axi_rvalid_i && !order_load && !halt_i;
  assign load_rvalid_o  = axi_rvalid_i && order_load && !halt_i;
  assign rdata_o        = axi_rdata_i;
  assign rerror_o       = axi_rresp_i[1];
  assign fetch_owed_o   = order_valid && !order_load;
  assign load_owed_o    = order_valid && order_load;
  assign idle_o         = !order_valid;

  assign err_valid_o = beat && axi_rresp_i[1] && order_load && !halt_i;
  assign err_insn_o  = order_insn;
  assign err_addr_o  = order_addr;

  `VDLA_ASSERT(DataOnlyWhenAsked, axi_rvalid_i |-> order_valid)
  `VDLA_COVER(AddressWaitsForTheBus, axi_arvalid_o && !axi_arready_i && (fetch_valid_i || load_valid_i))
  `VDLA_COVER(OrderIsFull, !order_ready && load_valid_i)
  `VDLA_COVER(BothAsk, fetch_valid_i && load_valid_i && ar_free)
  `VDLA_COVER(DataWaitForLoad, axi_rvalid_i && !axi_rready_o)
  `VDLA_COVER(HaltedInsideABurst, halt_i && axi_rvalid_i && !axi_rlast_i)
  `VDLA_COVER(ErrorOfFetch, fetch_rvalid_o && rerror_o)
  `VDLA_COVER(ErrorOfLoadInsideABurst, err_valid_o && !axi_rlast_i)
  `VDLA_ASSERT(AddressStable, axi_arvalid_o && !axi_arready_i |=> axi_arvalid_o && $stable(axi_araddr_o) && $stable(axi_arlen_o))

  logic unused;
  assign unused = axi_rresp_i[0];

`ifdef FORMAL
  `include "vdla_axi_read.svh"
`endif

endmodule
