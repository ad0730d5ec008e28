// SPDX-License-Identifier: Apache-2.0
// An engine that stands before another one and changes nothing: what stands in between overrides what it
// changes.
#pragma once

#include "sim/contract.h"

namespace vdla::sim {

/// Refers to the engine behind it, which must live longer.
class ForwardEngine : public Engine {
 public:
  explicit ForwardEngine(Engine& behind) : behind_(behind) {}

  std::string_view name() const override { return behind_.name(); }
  const isa::Variant& variant() const override { return behind_.variant(); }
  std::uint32_t read_register(std::uint32_t offset) override { return behind_.read_register(offset); }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    behind_.write_register(offset, value);
  }
  std::uint64_t memory_base() const override { return behind_.memory_base(); }
  std::uint64_t memory_size() const override { return behind_.memory_size(); }
  void read_memory(std::uint64_t address, std::span<std::byte> bytes) override {
    behind_.read_memory(address, bytes);
  }
  void write_memory(std::uint64_t address, std::span<const std::byte> bytes) override {
    behind_.write_memory(address, bytes);
  }
  bool interrupt() const override { return behind_.interrupt(); }
  Stop run(std::uint64_t cycle_limit) override { return behind_.run(cycle_limit); }
  std::vector<UnitState> unit_states() const override { return behind_.unit_states(); }
  void set_trace(trace::Sink* sink) override { behind_.set_trace(sink); }

 private:
  Engine& behind_;
};

}  // namespace vdla::sim
