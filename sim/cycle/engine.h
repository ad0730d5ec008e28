// SPDX-License-Identifier: Apache-2.0
// The cycle-level engine: SystemC inside, the contract outside.
#pragma once

#include <memory>

#include "sim/contract.h"

namespace vdla::sim {

std::unique_ptr<Engine> make_cycle_engine(const isa::Variant& variant,
                                          std::uint64_t memory_bytes = kDefaultMemoryBytes);

}  // namespace vdla::sim
