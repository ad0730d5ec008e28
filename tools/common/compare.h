// SPDX-License-Identifier: Apache-2.0
// Two runs of one module beside each other: cycles layer by layer.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "runtime/session/session.h"

namespace vdla::tools {

struct CycleRow {
  std::string layer, op;
  std::uint64_t cycles = 0, other = 0;

  /// Difference of the second to the first, as a share of the first; signed.
  double difference() const;
};

/// Shares of the first engine's cycles by which the second's may differ.
struct CycleLimits {
  double total = 0.01, layer = 0.02;
};

struct Comparison {
  std::string engine, other;     ///< names
  std::vector<CycleRow> layers;  ///< rows in order
  CycleRow total;

  bool equal() const;
  /// Sentences about what differs by more.
  std::vector<std::string> beyond(const CycleLimits& limits) const;
};

Comparison compare_cycles(const std::string& engine, const runtime::Result& result, const std::string& other,
                          const runtime::Result& other_result);

void print_comparison(const Comparison& comparison, const CycleLimits& limits);
nlohmann::ordered_json comparison_json(const Comparison& comparison, const CycleLimits& limits);

}  // namespace vdla::tools
