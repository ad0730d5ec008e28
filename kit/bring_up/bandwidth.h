// SPDX-License-Identifier: Apache-2.0
// Bandwidth that a device's memory port reaches, by the device's own counters, beside the memory model of its
// variant (isa/timing/rules.h), which is what compiles choose by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/core/transport.h"
#include "isa/spec/geometry.h"
#include "isa/spec/units.h"

namespace vdla::kit {

struct BandwidthRow {
  isa::Unit unit = isa::Unit::Load;
  std::uint64_t bytes = 0;  ///< bytes of a transfer: contiguous ones
  double measured = 0;      ///< bytes a cycle, what begins and ends a program left out
  double model = 0;

  double share() const { return measured / model; }
};

struct Bandwidth {
  double latency = 0, model_latency = 0;  ///< cycles from an address to its first data
  std::vector<BandwidthRow> rows;

  /// Sentence about what the figures say of the memory and what to look at; empty where they are as the
  /// model's.
  std::string finding() const;
};

/// DeviceError where the device does not answer or a program fails; UserError for a device without time.
Bandwidth measure_bandwidth(const vdla_transport& transport, const isa::Variant& variant);

}  // namespace vdla::kit
