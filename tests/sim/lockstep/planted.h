// SPDX-License-Identifier: Apache-2.0
// An engine with a planted fault: it misreads some instructions.
#pragma once

#include <functional>

#include "isa/codec/codec.h"
#include "tests/sim/forward.h"

namespace vdla::sim {

class Planted final : public ForwardEngine {
 public:
  using Misread = std::function<void(isa::Insn&)>;
  Planted(std::unique_ptr<Engine> engine, Misread misread)
      : ForwardEngine(*engine), engine_(std::move(engine)), misread_(std::move(misread)) {}
  std::string_view name() const override { return "planted"; }
  void read_memory(std::uint64_t address, std::span<std::byte> bytes) override {
    ForwardEngine::read_memory(address, bytes);
    if (address == memory_base()) std::copy_n(insns_.begin(), bytes.size(), bytes.begin());
  }
  /// Window insn lies at the start of memory (place_windows).
  void write_memory(std::uint64_t address, std::span<const std::byte> bytes) override {
    if (address != memory_base()) return ForwardEngine::write_memory(address, bytes);
    insns_.assign(bytes.begin(), bytes.end());
    std::vector<isa::Insn> stream;
    for (std::size_t at = 0; at < bytes.size(); at += isa::kInsnBytes) {
      stream.push_back(*isa::try_decode(isa::words_from_bytes(
          std::span<const std::byte, isa::kInsnBytes>(bytes.data() + at, isa::kInsnBytes))));
      misread_(stream.back());
    }
    ForwardEngine::write_memory(address, isa::encode_stream(stream));
  }

 private:
  std::unique_ptr<Engine> engine_;
  Misread misread_;
  std::vector<std::byte> insns_;
};

}  // namespace vdla::sim
