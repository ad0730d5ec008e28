// SPDX-License-Identifier: Apache-2.0
// Energy of a run by a table of energies per operation: good for comparing variants with each other, not for
// a board's supply.
#pragma once

#include <span>
#include <string_view>

#include "tools/explore/json.h"

namespace vdla::explore {

struct EnergyRow {
  std::string_view operation;
  double picojoules;
  std::string_view source;
};

/// Cost of one operation; SRAM rows are for 64 bits of a memory of that size.
std::span<const EnergyRow> energy_table();

/// Text of what is counted and what is not.
std::string_view energy_scope();

struct Energy {  ///< microjoules of one inference
  double array = 0, vector = 0, sram = 0, dram = 0;
  double total() const { return array + vector + sram + dram; }
};

/// From the operations and the traffic of a record.
Energy energy_of(const Json& record);

/// For the pages: an energy's parts; the table and its scope.
Json energy_json(const Energy& energy);
Json energy_model_json();

/// Picojoules of 64 bits read from or written to a memory of `bytes`.
double sram_picojoules(double bytes);

}  // namespace vdla::explore
