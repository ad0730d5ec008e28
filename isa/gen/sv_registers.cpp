// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "isa/spec/registers.h"

namespace vdla::isa::gen {
namespace {

using Out = std::back_insert_iterator<std::string>;

/// Constants of the package, which no design chooses.
bool in_package(const RegisterValue& v) { return v.name == "magic" || v.name == "isa_version"; }

/// Values that need no port: constants of the package, and parameters.
std::string constant_of(const RegisterValue& v) {
  if (v.access != Access::Fixed) return {};
  return (in_package(v) ? "vdla_isa_pkg::" : "") + camel(v.name);
}

void emit_parameters(Out out, const std::vector<RegisterValue>& values) {
  const char* before = "";
  for (const RegisterValue& v : values) {
    if (v.access != Access::Fixed || in_package(v)) continue;
    fmt::format_to(out, "{}  parameter logic [{}:0] {} = {}'d0", before, v.bits - 1, camel(v.name), v.bits);
    before = ",\n";
  }
}

unsigned port_bits(const RegisterValue& v) { return v.per_window ? v.bits * kWindowCount : v.bits; }

std::string source_of(const RegisterValue& v) {
  if (const std::string constant = constant_of(v); !constant.empty()) return constant;
  return v.name + (v.access == Access::ReadOnly ? "_i" : "_q");
}

void emit_ports(Out out, const std::vector<RegisterValue>& values) {
  for (const RegisterValue& v : values) {
    const unsigned msb = port_bits(v) - 1;
    switch (v.access) {
      case Access::Fixed:
        break;
      case Access::ReadOnly:
        fmt::format_to(out, ",\n  input  logic [{}:0] {}_i", msb, v.name);
        break;
      case Access::ReadWrite:
      case Access::ReadWriteIdle:
        fmt::format_to(out, ",\n  output logic [{}:0] {}_o", msb, v.name);
        break;
      case Access::WriteOneToClear:
        fmt::format_to(out, ",\n  input  logic [{0}:0] {1}_set_i,\n  output logic [{0}:0] {1}_o", msb,
                       v.name);
        break;
    }
  }
}

bool is_stored(const RegisterValue& v) { return v.access != Access::Fixed && v.access != Access::ReadOnly; }

/// Statements that update one 32-bit word of a stored value on a write.
void emit_write(Out out, const RegisterValue& v, unsigned lsb, std::uint32_t offset) {
  const std::string slice = port_bits(v) == 32 ? v.name + "_q" : fmt::format("{}_q[{} +: 32]", v.name, lsb);
  // a pulse lasts one cycle also when the next write spares its byte
  const char* kept = v.name == "control" ? " & ~ControlPulse" : "";
  const char* when = v.access == Access::ReadWriteIdle ? "if (!busy) " : "";
  fmt::format_to(out, "        9'h{0:03x}: {3}{1} <= ({1}{2} & ~mask) | (wr_data_i & mask);\n", offset, slice,
                 kept, when);
}

void emit_storage(Out out, const std::vector<RegisterValue>& values) {
  for (const RegisterValue& v : values)
    if (is_stored(v))
      fmt::format_to(out, "  logic [{}:0] {}_q;\n  assign {}_o = {}_q;\n", port_bits(v) - 1, v.name, v.name,
                     v.name);
  fmt::format_to(out, "\n  always_ff @(posedge clk_i) begin\n    if (rst_i) begin\n");
  for (const RegisterValue& v : values)
    if (is_stored(v)) fmt::format_to(out, "      {}_q <= {}'d0;\n", v.name, port_bits(v));
  fmt::format_to(out, "    end else begin\n      control_q <= control_q & ~ControlPulse;\n");
  for (const RegisterValue& v : values)
    if (v.access == Access::WriteOneToClear)
      fmt::format_to(out,
                     "      {0}_q <= ({0}_q & ~(wr_en_i && wr_addr_i == 9'h{1:03x} ? wr_data_i & mask : "
                     "32'd0)) | {0}_set_i;\n",
                     v.name, v.offset);
  fmt::format_to(out, "      if (wr_en_i) case (wr_addr_i)\n");
  for (const RegisterValue& v : values) {
    if (v.access != Access::ReadWrite && v.access != Access::ReadWriteIdle) continue;
    for (unsigned w = 0; w < (v.per_window ? kWindowCount : 1u); ++w)
      for (unsigned half = 0; half < v.bits / 32; ++half)
        emit_write(out, v, w * v.bits + half * 32, v.offset + w * kWindowStride + 4 * half);
  }
  fmt::format_to(out, "        default: ;\n      endcase\n    end\n  end\n");
}

void emit_read(Out out, const std::vector<RegisterValue>& values) {
  fmt::format_to(out, "\n  always_comb begin\n    case (rd_addr_i)\n");
  for (const RegisterValue& v : values) {
    const std::string source = source_of(v);
    for (unsigned w = 0; w < (v.per_window ? kWindowCount : 1u); ++w) {
      for (unsigned half = 0; half < v.bits / 32; ++half) {
        std::string value =
            port_bits(v) == 32 ? source : fmt::format("{}[{} +: 32]", source, w * v.bits + half * 32);
        if (v.name == "control") value += " & ~ControlPulse";
        fmt::format_to(out, "      9'h{:03x}: rd_data_o = {};\n", v.offset + w * kWindowStride + 4 * half,
                       value);
      }
    }
  }
  fmt::format_to(out, "      default: rd_data_o = 32'd0;\n    endcase\n  end\n\nendmodule\n");
}

constexpr std::string_view kRegistersHead = R"(
// A read-write register keeps what was written; some ignore writes while status_i says busy. control: start and soft
// reset are high for the one cycle after the write and read as 0. irq_status: a bit is set from *_set_i and cleared by
// writing 1; setting wins. Reads are combinational. Window w of window_base_o and window_size_o is bits [64*w +: 64].
module vdla_regs #(
)";

constexpr std::string_view kFirstPorts = R"(
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        wr_en_i,
  input  logic [8:0]  wr_addr_i,   // byte offset, a multiple of 4
  input  logic [31:0] wr_data_i,
  input  logic [3:0]  wr_strb_i,
  input  logic [8:0]  rd_addr_i,
  output logic [31:0] rd_data_o)";

}  // namespace

std::string sv_registers() {
  const std::vector<RegisterValue> values = register_values();
  std::string text =
      banner("//", "The register map: storage of what the driver writes, multiplexer of what it reads.");
  Out out(text);
  text += kRegistersHead;
  emit_parameters(out, values);
  text += kFirstPorts;
  emit_ports(out, values);
  fmt::format_to(out,
                 "\n);\n\n  localparam logic [31:0] ControlPulse = vdla_isa_pkg::ControlStart | "
                 "vdla_isa_pkg::ControlSoftReset;\n\n"
                 "  logic        busy;\n"
                 "  logic [31:0] mask;\n"
                 "  assign busy = (status_i & vdla_isa_pkg::StatusBusy) != '0;\n"
                 "  assign mask = {{{{8{{wr_strb_i[3]}}}}, {{8{{wr_strb_i[2]}}}}, {{8{{wr_strb_i[1]}}}}, "
                 "{{8{{wr_strb_i[0]}}}}}};\n\n");
  emit_storage(out, values);
  emit_read(out, values);
  return text;
}

}  // namespace vdla::isa::gen
