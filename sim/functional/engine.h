// SPDX-License-Identifier: Apache-2.0
// The functional engine: every instruction at once, in the order of a deterministic round robin over the
// units, respecting queues and tokens. Its time counts instructions.
#pragma once

#include <memory>

#include "sim/contract.h"
#include "sim/functional/simd.h"

namespace vdla::sim {

std::unique_ptr<Engine> make_functional_engine(const isa::Variant& variant,
                                               std::uint64_t memory_bytes = kDefaultMemoryBytes,
                                               Simd simd = best_simd());

}  // namespace vdla::sim
