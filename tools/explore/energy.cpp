// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/energy.h"

#include <cmath>

#include "isa/spec/operations.h"
#include "support/error.h"

namespace vdla::explore {
namespace {

// The paper's numbers as others quote them: all of them in
// gist.github.com/V0XNIHILI/2b6fa61edd4c06d9ffce5551065124c1; 32-bit add and multiply and the 8 KiB cache, 45
// nm and 0.9 V also in table 3 of PMC8934428.
constexpr std::string_view kHorowitz =
    "M. Horowitz, Computing's energy problem (and what we can do about it), ISSCC 2014, pages 10-14, doi "
    "10.1109/ISSCC.2014.6757323: 45 nm, 0.9 V";
constexpr std::string_view kCache = "the same; the paper's is a cache's access";
constexpr std::string_view kMiddle = "the same: the middle of 1300 to 2600 pJ";

constexpr EnergyRow kTable[] = {
    {"add, 8 bits", 0.03, kHorowitz},        {"add, 32 bits", 0.1, kHorowitz},
    {"multiply, 8 bits", 0.2, kHorowitz},    {"multiply, 32 bits", 3.1, kHorowitz},
    {"SRAM of 8 KiB, 64 bits", 10, kCache},  {"SRAM of 32 KiB, 64 bits", 20, kCache},
    {"SRAM of 1 MiB, 64 bits", 100, kCache}, {"DRAM, 64 bits", 1950, kMiddle},
};
constexpr double kAdd8 = kTable[0].picojoules, kAdd32 = kTable[1].picojoules,
                 kMultiply8 = kTable[2].picojoules, kMultiply32 = kTable[3].picojoules,
                 kDram = kTable[7].picojoules;

/// A lane's step; the sum of a row adds block_in bytes.
double lane_step(const isa::Operation& row, double block_in) {
  const double sum = row.a == isa::OperandA::Row ? block_in * kAdd8 : 0;
  return sum + row.work.multiplies * kMultiply32 + row.work.adds * kAdd32;
}

}  // namespace

std::span<const EnergyRow> energy_table() { return kTable; }

std::string_view energy_scope() {
  return "Counted: multiplications and additions of array and vector lanes, bytes read and written in each "
         "buffer, bytes "
         "on the DRAM bus. Not counted: control, clock tree, pipeline registers, leakage, the CPU's steps. A "
         "45 nm ASIC's "
         "energies: use them to compare variants, not to size a supply.";
}

double sram_picojoules(double bytes) {
  const EnergyRow &small = kTable[4], &middle = kTable[5], &large = kTable[6];
  constexpr double kSmall = 8 << 10, kMiddleSize = 32 << 10, kLarge = 1 << 20;
  const auto between = [&](double low, double at_low, double high, double at_high) {
    return at_low * std::pow(bytes / low, std::log(at_high / at_low) / std::log(high / low));
  };
  return bytes <= kMiddleSize ? between(kSmall, small.picojoules, kMiddleSize, middle.picojoules)
                              : between(kMiddleSize, middle.picojoules, kLarge, large.picojoules);
}

Json energy_json(const Energy& e) {
  return {{"array", e.array}, {"vector", e.vector}, {"sram", e.sram}, {"dram", e.dram}, {"total", e.total()}};
}

Json energy_model_json() {
  Json json{{"scope", energy_scope()}, {"rows", Json::array()}};
  for (const EnergyRow& row : energy_table())
    json["rows"].push_back(
        {{"operation", row.operation}, {"picojoules", row.picojoules}, {"source", row.source}});
  return json;
}

Energy energy_of(const Json& record) {
  const auto number = [&](const std::string& path) {
    const Json::json_pointer at(path);
    const bool there = record.contains(at);
    VDLA_CHECK_USER(there && record.at(at).is_number())
        << "member " << path << " is " << (there ? record.at(at).type_name() : "missing")
        << ", needs a number";
    return record.at(at).get<double>();
  };
  const double block_in = number("/variant/geometry/block_in");
  Energy e;
  e.array = number("/operations/array_macs") * (kMultiply8 + kAdd32);
  for (const isa::Operation& row : isa::kOperations)
    e.vector += number("/operations/lane_steps/" + std::string(row.text)) * lane_step(row, block_in);
  for (const auto& row : isa::kBuffers) {
    const std::string name(row.text), buffer = "/buffers/" + name, access = "/operations/sram/" + name;
    const double size = number(buffer + "/entries") * number(buffer + "/entry_bytes");
    e.sram += (number(access + "/read") + number(access + "/write")) / 8 * sram_picojoules(size);
  }
  e.dram = (number("/dram/read") + number("/dram/write")) / 8 * kDram;
  constexpr double kMicro = 1e-6;  // pJ to uJ
  return {e.array * kMicro, e.vector * kMicro, e.sram * kMicro, e.dram * kMicro};
}

}  // namespace vdla::explore
