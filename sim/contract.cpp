// SPDX-License-Identifier: Apache-2.0
#include "sim/contract.h"

namespace vdla::sim {
namespace {

std::string unit_names(unsigned mask) {
  std::string text;
  for (unsigned u = 0; u < isa::kQueueUnits; ++u) {
    if ((mask >> u & 1) == 0) continue;
    if (!text.empty()) text += " and ";
    text += isa::to_string(static_cast<isa::Unit>(u));
  }
  return text;
}

std::string line(const UnitState& s) {
  std::string text{isa::to_string(s.unit)};
  const std::string where = " at instruction " + std::to_string(s.insn);
  if (s.unit == isa::Unit::Fetch)
    return text + " waits" + where + " for space in the queue of " + unit_names(s.waiting_pushes);
  if (s.waiting_pops != 0) return text + " waits" + where + " for a token from " + unit_names(s.waiting_pops);
  return text + " waits" + where + " for space to push a token to " + unit_names(s.waiting_pushes);
}

}  // namespace

std::string describe(const std::vector<UnitState>& states) {
  std::string text;
  for (const UnitState& s : states) {
    if (!s.has_insn || (s.waiting_pops == 0 && s.waiting_pushes == 0)) continue;
    if (!text.empty()) text += '\n';
    text += line(s);
  }
  return text;
}

}  // namespace vdla::sim
