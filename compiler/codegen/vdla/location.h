// SPDX-License-Identifier: Apache-2.0
// Place of a parameter of a function.
#pragma once

#include <cstdint>
#include <variant>

#include "isa/spec/geometry.h"

namespace vdla::codegen {

struct DramPlace {
  isa::Window window;
  std::uint64_t offset;  ///< bytes
};

/// Entry in the buffer that the parameter's scope names.
struct SramEntry {
  std::int64_t first;
};

/// Scope global: DramPlace; else SramEntry.
class Location {
 public:
  Location(DramPlace dram) : where_(dram) {}  // NOLINT(google-explicit-constructor): it is one of these
  Location(SramEntry sram) : where_(sram) {}  // NOLINT(google-explicit-constructor): as above
  Location(isa::Window window, std::uint64_t offset) : where_(DramPlace{window, offset}) {}

  const DramPlace* dram() const { return std::get_if<DramPlace>(&where_); }
  const SramEntry* sram() const { return std::get_if<SramEntry>(&where_); }

 private:
  std::variant<DramPlace, SramEntry> where_;
};

}  // namespace vdla::codegen
