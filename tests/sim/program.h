// SPDX-License-Identifier: Apache-2.0
// Small programs for tests of engines: puts a stream and data into an engine's memory, programs the windows,
// starts and runs it, as a driver would.
#pragma once

#include <cstring>
#include <vector>

#include "isa/codec/codec.h"
#include "isa/spec/registers.h"
#include "sim/contract.h"

namespace vdla::sim {

inline std::uint32_t at(isa::Register r) { return static_cast<std::uint32_t>(r); }

class Bench {
 public:
  static constexpr std::uint64_t kWindowBytes = 1 << 20;

  explicit Bench(Engine& engine) : engine_(engine) {
    for (unsigned w = 0; w < isa::kWindowCount; ++w) set_window(w, window_base(w), kWindowBytes);
    engine.write_register(at(isa::Register::CONTROL), isa::kControlIrqEnable);
  }

  static std::uint64_t window_base(unsigned w) { return kMemoryBase + w * kWindowBytes; }
  static std::uint64_t window_base(isa::Window w) { return window_base(static_cast<unsigned>(w)); }

  void set_window(unsigned w, std::uint64_t base, std::uint64_t size) {
    const std::uint32_t low = at(isa::Register::WINDOW0_BASE_LO) + w * isa::kWindowStride;
    engine_.write_register(low, static_cast<std::uint32_t>(base));
    engine_.write_register(low + 4, static_cast<std::uint32_t>(base >> 32));
    engine_.write_register(low + 8, static_cast<std::uint32_t>(size));
    engine_.write_register(low + 12, static_cast<std::uint32_t>(size >> 32));
  }

  template <class T>
  void put(isa::Window w, std::uint64_t offset, const std::vector<T>& values) {
    engine_.write_memory(window_base(w) + offset, std::as_bytes(std::span(values)));
  }
  template <class T>
  std::vector<T> get(isa::Window w, std::uint64_t offset, std::size_t count) {
    std::vector<T> values(count);
    engine_.read_memory(window_base(w) + offset, std::as_writable_bytes(std::span(values)));
    return values;
  }

  /// Writes the stream and starts it.
  void start(const std::vector<isa::Insn>& stream) {
    engine_.write_memory(window_base(0u), isa::encode_stream(stream));
    start_words(static_cast<std::uint32_t>(stream.size()));
  }
  void start_words(std::uint32_t count) {
    engine_.write_register(at(isa::Register::INSN_OFFSET), 0);
    engine_.write_register(at(isa::Register::INSN_COUNT), count);
    engine_.write_register(at(isa::Register::IRQ_STATUS), ~0u);
    engine_.write_register(at(isa::Register::CONTROL), isa::kControlStart | isa::kControlIrqEnable);
  }
  Stop run(const std::vector<isa::Insn>& stream, std::uint64_t limit = 1'000'000) {
    start(stream);
    return engine_.run(limit);
  }

  std::uint32_t reg(isa::Register r) { return engine_.read_register(at(r)); }
  std::uint64_t cycles() {
    return reg(isa::Register::CYCLES_LO) | std::uint64_t{reg(isa::Register::CYCLES_HI)} << 32;
  }

 private:
  Engine& engine_;
};

inline isa::MemoryInsn load_insn(isa::Buffer buffer, isa::Window window, unsigned sram, std::uint64_t offset,
                                 unsigned pieces, unsigned pop = 0, unsigned push = 0) {
  isa::MemoryInsn i;
  i.buffer = buffer;
  i.window = window;
  i.sram_base = static_cast<std::uint16_t>(sram);
  i.dram_offset = offset;
  i.run = static_cast<std::uint16_t>(pieces);
  i.pop = static_cast<std::uint8_t>(pop);
  i.push = static_cast<std::uint8_t>(push);
  return i;
}

inline isa::MemoryInsn store_insn(isa::Window window, unsigned sram, std::uint64_t offset, unsigned pieces,
                                  unsigned pop = 0, unsigned push = 0) {
  isa::MemoryInsn i = load_insn(isa::Buffer::Out, window, sram, offset, pieces, pop, push);
  i.opcode = isa::Opcode::Store;
  return i;
}

inline constexpr unsigned kToLoad = 1, kToGemm = 2, kToVector = 4, kToStore = 8;

}  // namespace vdla::sim
