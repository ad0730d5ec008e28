// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/engine.h"
#include "tools/vdla/optional_engines.h"

namespace vdla::tools {

bool have_systemc() { return true; }

std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant& variant, std::uint64_t memory_bytes,
                                                 bool timing_only) {
  return sim::make_cycle_engine(variant, memory_bytes, {.timing_only = timing_only});
}

}  // namespace vdla::tools
