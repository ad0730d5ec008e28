// SPDX-License-Identifier: Apache-2.0
// Two runs of one module beside each other: cycles layer by layer.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "runtime/session.h"

namespace vdla::tools {

struct CycleRow {
  std::string layer, op;
  std::uint64_t cycles = 0, other = 0;

  /// Of the second against the first, signed.
  double difference() const;
};

/// Layers in order, then the total.
std::vector<CycleRow> compare_cycles(const runtime::Result& result, const runtime::Result& other);

void print_comparison(const std::vector<CycleRow>& rows, const std::string& engine, const std::string& other);
nlohmann::ordered_json comparison_json(const std::vector<CycleRow>& rows, const std::string& other);

}  // namespace vdla::tools
