// SPDX-License-Identifier: Apache-2.0
// An engine without a machine, for tests of what stands in front of one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/contract.h"

namespace vdla::sim {

/// Registers that keep what is written; the interrupt is that of one of them.
class RegistersOnly final : public Engine {
 public:
  std::string_view name() const override { return "registers"; }
  const isa::Variant& variant() const override { return variant_; }
  std::uint32_t read_register(std::uint32_t offset) override { return values[offset / 4 % values.size()]; }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    values[offset / 4 % values.size()] = value;
  }
  std::uint64_t memory_base() const override { return 0; }
  std::uint64_t memory_size() const override { return 0; }
  void read_memory(std::uint64_t, std::span<std::byte>) override {}
  void write_memory(std::uint64_t, std::span<const std::byte>) override {}
  bool interrupt() const override { return line; }
  Stop run(std::uint64_t) override { return Stop::Interrupt; }
  std::vector<UnitState> unit_states() const override { return {}; }
  void set_trace(trace::Sink*) override {}

  std::array<std::uint32_t, 128> values{};
  bool line = false;

 private:
  isa::Variant variant_;
};

}  // namespace vdla::sim
