// SPDX-License-Identifier: Apache-2.0
// Runs programs on the hardware description and on the functional engine and compares the memory behind every
// window.
#pragma once

#include <gtest/gtest.h>

#include "isa/random/random.h"
#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "sim/functional/engine.h"
#include "sim/rtl/engine.h"
#include "tests/sim/built_rtl.h"
#include "tests/sim/program.h"

namespace vdla::sim {

inline constexpr std::uint64_t kMemoryBytes = 16 << 20;
/// The machine with the hardware's own assertions on.
inline const RtlOptions kChecking = built_rtl(RtlBuild::Check);
inline constexpr std::uint64_t kWindowBytes = 1 << 20;

inline std::uint64_t window_base(unsigned w) { return kMemoryBase + w * kWindowBytes; }

inline void write_wide(Engine& engine, std::uint32_t offset, std::uint64_t value) {
  engine.write_register(offset, static_cast<std::uint32_t>(value));
  engine.write_register(offset + 4, static_cast<std::uint32_t>(value >> 32));
}

inline void prepare(Engine& engine, const isa::RandomProgram& random) {
  auto contents = random.contents;
  contents[static_cast<unsigned>(isa::Window::Insn)] = isa::insn_image(random.program);
  contents[static_cast<unsigned>(isa::Window::Uop)] = isa::uop_image(random.program);
  contents[static_cast<unsigned>(isa::Window::Const)] = random.program.constants;
  for (unsigned w = 0; w < isa::kWindowCount; ++w) {
    // Windows begin at odd places so that bytes must be moved within the beats of the bus.
    const std::uint64_t base = window_base(w) + (w > 1 ? 3 * w : 0);
    const std::uint32_t low = at(isa::Register::WINDOW0_BASE_LO) + w * isa::kWindowStride;
    write_wide(engine, low, base);
    write_wide(engine, low + 8, random.program.window_size(static_cast<isa::Window>(w)));
    std::vector<std::byte> zero(64 << 10);
    engine.write_memory(window_base(w), zero);
    engine.write_memory(base, contents[w]);
  }
  engine.write_register(at(isa::Register::IRQ_STATUS), ~0u);
  engine.write_register(at(isa::Register::INSN_COUNT),
                        static_cast<std::uint32_t>(random.program.insns.size()));
  engine.write_register(at(isa::Register::CONTROL), isa::kControlStart | isa::kControlIrqEnable);
}

inline std::vector<std::byte> memory_of(Engine& engine) {
  std::vector<std::byte> bytes(isa::kWindowCount * kWindowBytes);
  engine.read_memory(kMemoryBase, bytes);
  return bytes;
}

/// The window and offset of the first difference, or empty.
inline std::string first_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      return "window " + std::to_string(i / kWindowBytes) + " byte " + std::to_string(i % kWindowBytes) +
             ": rtl " + std::to_string(static_cast<int>(a[i])) + ", functional " +
             std::to_string(static_cast<int>(b[i]));
  return {};
}

inline void compare_random_programs(const isa::Variant& variant, const RtlOptions& rtl_options,
                                    unsigned seeds, isa::RandomOptions options = {}) {
  std::unique_ptr<Engine> rtl = make_rtl_engine(variant, kMemoryBytes, rtl_options);
  auto functional = make_functional_engine(variant, kMemoryBytes);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    options.seed = seed;
    const isa::RandomProgram random = isa::random_program(variant.geometry, options);
    for (Engine* engine : std::initializer_list<Engine*>{rtl.get(), functional.get()}) {
      prepare(*engine, random);
      ASSERT_EQ(engine->run(10'000'000), Stop::Interrupt)
          << engine->name() << ", seed " << seed << ": " << describe(engine->unit_states());
      ASSERT_EQ(engine->read_register(at(isa::Register::STATUS)), isa::kStatusIdle | isa::kStatusDone)
          << engine->name() << ", seed " << seed << ", error "
          << engine->read_register(at(isa::Register::ERROR_CODE)) << " of unit "
          << engine->read_register(at(isa::Register::ERROR_UNIT)) << " insn "
          << engine->read_register(at(isa::Register::ERROR_INSN));
    }
    ASSERT_EQ(first_difference(memory_of(*rtl), memory_of(*functional)), "") << "seed " << seed;
  }
}

}  // namespace vdla::sim
