// SPDX-License-Identifier: Apache-2.0
// The engine that needs a package which may be absent. CMake links the real file or the one that says what is
// missing.
#pragma once

#include <memory>

#include "sim/contract.h"

namespace vdla::kit {

/// Whether this kit was built with SystemC.
bool have_systemc();

/// `timing_only`: the right cycles, without the data.
std::unique_ptr<sim::Engine> make_systemc_engine(const isa::Variant& variant, std::uint64_t memory_bytes,
                                                 bool timing_only);

}  // namespace vdla::kit
