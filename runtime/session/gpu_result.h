// SPDX-License-Identifier: Apache-2.0
// Results of programs on a GPU, in a session's words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/error.h"

namespace vdla::runtime {

/// The GPU does not take a program, or a kernel fails there.
struct GpuError : UserError {
  using UserError::UserError;
};

/// A run of a segment on the GPU.
struct GpuResult {
  std::size_t segment = 0;  ///< index in Module::gpu
  double seconds = 0;       ///< wall clock of the host in calls, copies and waits; none of steps beside it
  std::uint64_t bytes_to = 0, bytes_from = 0;
  std::vector<double> layer_seconds = {};  ///< seconds by gpu::Device::clock(), where times were asked for
};

}  // namespace vdla::runtime
