// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/last_waves.h"

#include <algorithm>

#include "isa/spec/registers.h"
#include "runtime/device/post_mortem.h"

namespace vdla::tools {
namespace {

std::uint64_t cycles_of(const runtime::Recording& recording) {
  const auto value = [&](isa::Register which) -> std::uint64_t {
    const auto& places = runtime::register_places();
    const auto found =
        std::ranges::find(places, static_cast<std::uint32_t>(which), &runtime::RegisterPlace::offset);
    return recording.registers.at(static_cast<std::size_t>(found - places.begin()));
  };
  return value(isa::Register::CYCLES_LO) | value(isa::Register::CYCLES_HI) << 32;
}

}  // namespace

void write_last_waves(const WaveFlags& flags, const kit::Session& session, kit::SessionOptions options,
                      const std::vector<runtime::Bytes>& inputs, const runtime::DeviceError& failed) {
  const auto start = session.started_at();
  if (!start || failed.post_mortem() == nullptr || failed.post_mortem()->recording == nullptr) return;
  const std::uint64_t end = *start + cycles_of(*failed.post_mortem()->recording);
  options.timeline = nullptr;
  options.costs = false;
  options.engine.rtl.build = sim::RtlBuild::Trace;
  options.engine.rtl.waves = sim::RtlWaves{flags.file, end - std::min(end, flags.last), end};
  kit::Session again(session.module(), session.name(), options);
  try {
    again.run_model(inputs);
  } catch (const runtime::DeviceError&) {  // as the first one did
  }
  again.end_waves();
}

}  // namespace vdla::tools
