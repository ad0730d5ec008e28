// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite slave in front of the register file: one access at a time in each direction. What lies behind the registers
// in their page of 4 KiB reads 0 and takes no writes.

`include "vdla_assert.svh"

module vdla_axil #(
  localparam int unsigned AddrW     = vdla_isa_pkg::RegisterBits,
  localparam int unsigned PageW     = vdla_pkg::PageBits,
  localparam int unsigned WordW     = vdla_pkg::WordBits,
  localparam int unsigned WordBytes = vdla_pkg::WordBytes
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  // AXI4-Lite
  input  logic                 axil_awvalid_i,
  output logic                 axil_awready_o,
  input  logic [PageW-1:0]     axil_awaddr_i,
  input  logic                 axil_wvalid_i,
  output logic                 axil_wready_o,
  input  logic [WordW-1:0]     axil_wdata_i,
  input  logic [WordBytes-1:0] axil_wstrb_i,
  output logic                 axil_bvalid_o,
  input  logic                 axil_bready_i,
  input  logic                 axil_arvalid_i,
  output logic                 axil_arready_o,
  input  logic [PageW-1:0]     axil_araddr_i,
  output logic                 axil_rvalid_o,
  input  logic                 axil_rready_i,
  output logic [WordW-1:0]     axil_rdata_o,
  // register file
  output logic                 wr_en_o,
  output logic [AddrW-1:0]     wr_addr_o,
  output logic [WordW-1:0]     wr_data_o,
  output logic [WordBytes-1:0] wr_strb_o,
  output logic [AddrW-1:0]     rd_addr_o,
  input  logic [WordW-1:0]     rd_data_i
);

  logic             bvalid_q, rvalid_q, write, read;
  logic [WordW-1:0] rdata_q;

  // A write is taken when both its parts are there and the last response has gone.
  assign write          = axil_awvalid_i && axil_wvalid_i && !bvalid_q;
  assign axil_awready_o = write;
  assign axil_wready_o  = write;
  assign wr_en_o        = write && axil_awaddr_i[PageW-1:AddrW] == '0;
  assign wr_addr_o      = {axil_awaddr_i[AddrW-1:2], 2'b00};
  assign wr_data_o      = axil_wdata_i;
  assign wr_strb_o      = axil_wstrb_i;
  assign axil_bvalid_o  = bvalid_q;

  assign read           = axil_arvalid_i && !rvalid_q;
  assign axil_arready_o = !rvalid_q;
  assign rd_addr_o      = {axil_araddr_i[AddrW-1:2], 2'b00};
  assign axil_rvalid_o  = rvalid_q;
  assign axil_rdata_o   = rdata_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      bvalid_q <= 1'b0;
      rvalid_q <= 1'b0;
    end else begin
      bvalid_q <= write || (bvalid_q && !axil_bready_i);
      rvalid_q <= read || (rvalid_q && !axil_rready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (read) rdata_q <= axil_araddr_i[PageW-1:AddrW] == '0 ? rd_data_i : '0;
  end

  `VDLA_ASSERT(ReadDataStable, axil_rvalid_o && !axil_rready_i |=> axil_rvalid_o && $stable(axil_rdata_o))

  logic unused;
  assign unused = ^{axil_awaddr_i[1:0], axil_araddr_i[1:0]};

`ifdef FORMAL
  `include "vdla_axil.svh"
`endif

endmodule
