// SPDX-License-Identifier: Apache-2.0
#include "kit/systemc.h"

#include "sim/cycle/engine.h"

namespace vdla::kit {

bool have_systemc() { return true; }

std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant& variant, std::uint64_t memory_bytes,
                                                 bool timing_only) {
  return sim::make_cycle_engine(variant, memory_bytes, {.timing_only = timing_only});
}

}  // namespace vdla::kit
