// SPDX-License-Identifier: Apache-2.0
// An engine with a planted fault: it misreads some instructions.
#pragma once

#include <functional>

#include "isa/codec/codec.h"
#include "sim/contract.h"

namespace vdla::sim {

class Planted final : public Engine {
 public:
  using Misread = std::function<void(isa::Insn&)>;
  Planted(std::unique_ptr<Engine> engine, Misread misread)
      : engine_(std::move(engine)), misread_(std::move(misread)) {}
  std::string_view name() const override { return "planted"; }
  const isa::Variant& variant() const override { return engine_->variant(); }
  std::uint32_t read_register(std::uint32_t offset) override { return engine_->read_register(offset); }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    engine_->write_register(offset, value);
  }
  std::uint64_t memory_base() const override { return engine_->memory_base(); }
  std::uint64_t memory_size() const override { return engine_->memory_size(); }
  void read_memory(std::uint64_t address, std::span<std::byte> bytes) override {
    engine_->read_memory(address, bytes);
    if (address == memory_base()) std::copy_n(insns_.begin(), bytes.size(), bytes.begin());
  }
  /// Window insn lies at the start of memory (place_windows).
  void write_memory(std::uint64_t address, std::span<const std::byte> bytes) override {
    if (address != memory_base()) return engine_->write_memory(address, bytes);
    insns_.assign(bytes.begin(), bytes.end());
    std::vector<isa::Insn> stream;
    for (std::size_t at = 0; at < bytes.size(); at += isa::kInsnBytes) {
      stream.push_back(*isa::try_decode(isa::words_from_bytes(
          std::span<const std::byte, isa::kInsnBytes>(bytes.data() + at, isa::kInsnBytes))));
      misread_(stream.back());
    }
    engine_->write_memory(address, isa::encode_stream(stream));
  }
  bool interrupt() const override { return engine_->interrupt(); }
  Stop run(std::uint64_t limit) override { return engine_->run(limit); }
  std::vector<UnitState> unit_states() const override { return engine_->unit_states(); }
  void set_trace(trace::Sink* sink) override { engine_->set_trace(sink); }

 private:
  std::unique_ptr<Engine> engine_;
  Misread misread_;
  std::vector<std::byte> insns_;
};

}  // namespace vdla::sim
