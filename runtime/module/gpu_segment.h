// SPDX-License-Identifier: Apache-2.0
// A segment of a GPU: host steps that follow each other, which it computes as one program. The steps stay
// what they are: a machine without a GPU runs them on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/grid/program.h"

namespace vdla::runtime {

/// The kinds of devices that programs are for, as `vdla compile --target` has them.
inline constexpr const char *kKindCuda = "cuda", *kKindOpenCl = "opencl", *kKindEmulator = "emulator";
inline constexpr const char* kGpuKinds[] = {kKindCuda, kKindOpenCl, kKindEmulator};

/// A tensor of the module in a buffer of the program, of as many bytes.
struct GpuTensor {
  std::uint32_t tensor = 0;
  std::size_t buffer = 0;
  bool operator==(const GpuTensor&) const = default;
};

/// Launches that compute one of the steps: those behind those of the step in front of it.
struct GpuLayer {
  std::size_t launches = 0;
  std::string by, knobs;  ///< the template and its knobs, for people
  bool operator==(const GpuLayer&) const = default;
};

struct GpuSegment {
  std::string kind;  ///< one of kGpuKinds
  std::size_t first_step = 0;
  std::vector<GpuLayer> layers;  ///< one for each step
  gpu::Program program;
  std::vector<GpuTensor> inputs;     ///< copied there before each run
  std::vector<GpuTensor> outputs;    ///< and back after it: all that steps behind, or the caller, read
  std::vector<GpuTensor> constants;  ///< copied there once
  bool operator==(const GpuSegment&) const = default;

  std::size_t end_step() const { return first_step + layers.size(); }
};

}  // namespace vdla::runtime
