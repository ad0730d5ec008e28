// SPDX-License-Identifier: Apache-2.0
// The Verilated engine: the hardware description itself, cycle by cycle.
#pragma once

#include <filesystem>
#include <memory>

#include "sim/contract.h"

namespace vdla::sim {

/// `directory` holds the libraries of Verilated machines; empty: default_rtl_directory(). Throws UserError
/// when there is none for this geometry, and says how to build it, or when the timing is one that the
/// hardware cannot have.
std::unique_ptr<Engine> make_rtl_engine(const isa::Variant& variant,
                                        std::uint64_t memory_bytes = kDefaultMemoryBytes,
                                        const std::filesystem::path& directory = {});

}  // namespace vdla::sim
