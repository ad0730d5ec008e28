// SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/job.h"

#include <algorithm>

#include "isa/spec/registers.h"
#include "support/error.h"

namespace vdla::sim {
namespace {

using isa::Register;

std::uint32_t offset_of(Register r) { return static_cast<std::uint32_t>(r); }

void write_wide(Engine& engine, std::uint32_t offset, std::uint64_t value) {
  engine.write_register(offset, static_cast<std::uint32_t>(value));
  engine.write_register(offset + 4, static_cast<std::uint32_t>(value >> 32));
}

std::vector<std::byte> image_of(const Job& job, isa::Window window) {
  const std::vector<std::byte>& words = job.contents[static_cast<unsigned>(isa::Window::Insn)];
  if (window == isa::Window::Insn) return words.empty() ? isa::insn_image(job.program) : words;
  if (window == isa::Window::Uop) return isa::uop_image(job.program);
  if (window == isa::Window::Const) return job.program.constants;
  return job.contents[static_cast<unsigned>(window)];
}

}  // namespace

isa::Windows place_windows(const Engine& engine, const Job& job) {
  constexpr std::uint64_t kPage = 4096;
  isa::Windows windows;
  std::uint64_t at = engine.memory_base();
  for (unsigned w = 0; w < isa::kWindowCount; ++w) {
    const bool data = w >= static_cast<unsigned>(isa::Window::Const);
    const std::uint64_t place = at + (data ? job.skew * w : 0);
    windows[w] = {place - job.origins[w], job.program.window_size(static_cast<isa::Window>(w))};
    at = (windows[w].base + windows[w].size + kPage) / kPage * kPage;
  }
  if (job.cut)
    windows[static_cast<unsigned>(job.cut->first)].base =
        engine.memory_base() + engine.memory_size() - job.cut->second;
  VDLA_CHECK_USER(at <= engine.memory_base() + engine.memory_size())
      << "the windows of the program need " << at - engine.memory_base() << " bytes, engine " << engine.name()
      << " has " << engine.memory_size() << "; make it with more memory";
  return windows;
}

isa::WindowRange held_range(const Job& job, const isa::Windows& windows, unsigned window) {
  return {windows[window].base + job.origins[window], windows[window].size - job.origins[window]};
}

void start_job(Engine& engine, const Job& job, const isa::Windows& windows) {
  // Whatever ran before is dropped.
  constexpr std::uint64_t kResetCycles = 10'000;
  engine.write_register(offset_of(Register::CONTROL), isa::kControlSoftReset);
  engine.run(kResetCycles);
  for (unsigned w = 0; w < isa::kWindowCount; ++w) {
    std::vector<std::byte> image = image_of(job, static_cast<isa::Window>(w));
    const isa::WindowRange held = held_range(job, windows, w);
    image.resize(std::min(held.size, engine.memory_base() + engine.memory_size() - held.base));
    engine.write_memory(held.base, image);
    const std::uint32_t low = offset_of(Register::WINDOW0_BASE_LO) + w * isa::kWindowStride;
    write_wide(engine, low, windows[w].base);
    write_wide(engine, low + 8, windows[w].size);
  }
  engine.write_register(offset_of(Register::IRQ_STATUS), ~0u);
  engine.write_register(offset_of(Register::INSN_OFFSET), 0);
  engine.write_register(offset_of(Register::INSN_COUNT),
                        job.insn_count.value_or(static_cast<std::uint32_t>(job.program.insns.size())));
  engine.write_register(offset_of(Register::CONTROL), isa::kControlStart | isa::kControlIrqEnable);
}

}  // namespace vdla::sim
