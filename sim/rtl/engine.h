// SPDX-License-Identifier: Apache-2.0
// The Verilated engine: the hardware description itself, cycle by cycle.
#pragma once

#include <filesystem>
#include <memory>

#include "sim/contract.h"
#include "sim/rtl/disturbance.h"

namespace vdla::sim {

class RtlEngine : public Engine {
 public:
  /// From now on. Throws UserError when handshakes inside shall be held back and the library was built
  /// without the means.
  virtual void disturb(const Disturbance& disturbance) = 0;
};

/// `directory` holds the libraries of Verilated machines; empty: default_rtl_directory(). Throws UserError
/// when there is none for this geometry, and says how to build it, or when the timing is one that the
/// hardware cannot have.
std::unique_ptr<RtlEngine> make_rtl_engine(const isa::Variant& variant,
                                           std::uint64_t memory_bytes = kDefaultMemoryBytes,
                                           const std::filesystem::path& directory = {});

}  // namespace vdla::sim
