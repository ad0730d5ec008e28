// SPDX-License-Identifier: Apache-2.0
#include "kit/bring_up/probe_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/asm/asm.h"
#include "isa/spec/version.h"
#include "runtime/device/device_facts.h"
#include "runtime/device/device_program.h"
#include "support/ceil_div.h"

namespace vdla::kit {

namespace {

/// No transfer of a test takes more.
constexpr std::size_t kWindowBytes = 1 << 14;

}  // namespace

std::string load_loop(const isa::Variant& variant, std::uint64_t cycles) {
  const isa::Geometry& g = variant.geometry;
  constexpr std::uint64_t kChunk = 8;  // bytes that load moves in a cycle, of one entry
  const std::uint64_t piece = g.block_out, pieces = std::min<std::uint64_t>(g.out_depth * g.batch, 64);
  const std::uint64_t times = std::max<std::uint64_t>(1, cycles / (pieces * ceil_div(piece, kChunk)));
  return fmt::format("load out[0] = act[{}*x] for x<{} y<{}\n", piece, pieces, times);
}

ProbeProgram::ProbeProgram(const vdla_transport& transport, const isa::Variant& variant,
                           const std::string& text) {
  const isa::Assembly assembly = isa::assemble(text, "probe program");
  call(vdla_probe(&device_, &transport));
  const std::vector<std::uint32_t> numbers = runtime::numbers_of(variant.geometry);
  const vdla_identity needed{isa::kIsaVersion, isa::geometry_hash(variant.geometry), numbers.data()};
  call(vdla_require(&device_, &needed));
  call(vdla_reset(&device_));
  const runtime::Bytes insns = runtime::image_of(assembly.insns), zeros(kWindowBytes);
  for (const auto& [window, content] :
       {std::pair(isa::Window::Insn, &insns), {isa::Window::Act, &zeros}, {isa::Window::Output, &zeros}}) {
    runtime::DmaBlock& block = windows_[static_cast<std::size_t>(window)];
    block = runtime::DmaBlock(&transport, content->size());
    call(vdla_require_reach(&device_, block.address(), block.bytes()));
    block.write(0, *content);
  }
  launch_ = runtime::launch_of(assembly.insns, 100'000);
  predicted_cycles_ = runtime::predicted_cycles(assembly.insns, variant.geometry, variant.timing);
}

ProbeProgram::~ProbeProgram() { (void)vdla_reset(&device_); }

void ProbeProgram::start() {
  for (unsigned w = 0; w < windows_.size(); ++w)
    call(vdla_set_window(&device_, w, windows_[w].address(), windows_[w].bytes()));
  call(vdla_start(&device_, &launch_));
}

bool ProbeProgram::ended() {
  int has_ended = 0;
  call(vdla_poll(&device_, &launch_, &has_ended));
  return has_ended != 0;
}

void ProbeProgram::wait() { call(vdla_wait(&device_, &launch_, timeout())); }

std::uint64_t ProbeProgram::timeout() const { return vdla_timeout(device_.transport, predicted_cycles_); }

vdla_counters ProbeProgram::counters() {
  vdla_counters read{};
  call(vdla_read_counters(&device_, &read));
  return read;
}

void ProbeProgram::call(vdla_driver_status status) { runtime::check_status(device_, status); }

}  // namespace vdla::kit
