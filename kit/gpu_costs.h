// SPDX-License-Identifier: Apache-2.0
// Costs of a GPU, for a compile that weighs it against what is beside it.
#pragma once

#include "compiler/pipeline/options.h"

namespace vdla::kit {

/// Speed of a GPU beside the CPU of pipeline::HostSpeed; parameters, not measurements. The defaults stand for
/// a card in a slot.
struct GpuSpeed {
  double operations_per_second = 1e12;  ///< multiply-accumulates, or elements of other operators
  double bytes_per_second = 10e9;       ///< copied to it and back
  double start_seconds = 20e-6;         ///< time of each run of a program: calls of the driver, a wait
  double launch_seconds = 5e-6;         ///< time of each kernel
};

struct GpuCosts {
  GpuSpeed gpu = {};
  pipeline::HostSpeed cpu = {};
};

}  // namespace vdla::kit
