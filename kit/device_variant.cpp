// SPDX-License-Identifier: Apache-2.0
#include "kit/device_variant.h"

#include "isa/variants/variants.h"
#include "support/error.h"

namespace vdla::kit {

isa::Variant variant_of(const runtime::DeviceFacts& facts) {
  constexpr double kKilohertz = 1e-3;  // MHz of a kilohertz
  const isa::Geometry geometry = runtime::geometry_of(facts);
  isa::Variant variant =
      isa::builtin_with(facts.geometry_hash).value_or(isa::Variant{"device", geometry, {}});
  if (facts.clock_khz != 0) variant.timing.clock_mhz = facts.clock_khz * kKilohertz;
  return variant;
}

std::string command_that_fits(const runtime::DeviceFacts& facts, const std::string& chosen) {
  const std::string compile = "vdla compile NETWORK --variant ", board = "--board ";
  try {
    (void)runtime::geometry_of(facts);
  } catch (const UserError&) {
    return {};
  }
  if (const auto known = isa::builtin_with(facts.geometry_hash)) return compile + known->name;
  if (chosen.starts_with(board)) return compile + "device:" + chosen.substr(board.size());
  if (chosen.empty()) return {};
  return "vdla info --device " + chosen + " --output device.json && " + compile + "device.json";
}

}  // namespace vdla::kit
