// SPDX-License-Identifier: Apache-2.0
// The simulated machines by name: functional (values), systemc (values and cycles), rtl (the hardware itself,
// sim/rtl). What stands behind them is sim/contract.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/memory.h"
#include "sim/rtl/options.h"

namespace vdla::kit {

/// All of them: "functional", "systemc", "rtl".
std::vector<std::string> engine_names();

struct EngineOptions {
  /// Options of engine rtl; without a directory kit/rtl.h says where its library lies.
  sim::RtlOptions rtl{};
  bool timing_only = false;  ///< choice of engine systemc: the right cycles, without the data
  std::uint64_t memory_bytes = sim::kDefaultMemoryBytes;
  std::vector<sim::MemorySegment> memory{};  ///< instead of memory of its own: these, which outlive it
};

/// UserError for a name that is not known, a part that this kit was built without, an option of another
/// engine, and RTL that is not built for the geometry.
std::unique_ptr<sim::Engine> make_engine(const std::string& name, const isa::Variant& variant,
                                         const EngineOptions& options = {});

}  // namespace vdla::kit
