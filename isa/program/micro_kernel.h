// SPDX-License-Identifier: Apache-2.0
// Micro-kernels: what a module carries instead of micro-ops. A descriptor is a nest of affine loops; expand()
// is the one function that makes micro-ops of it, called by the compiler before it verifies and by the
// runtime when it loads a program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/codec/insn.h"

namespace vdla::isa {

/// One loop: strides are added modulo 2^16, so 65535 steps back by one.
struct MicroLoop {
  std::uint16_t count = 1;
  std::uint16_t acc = 0;
  std::uint16_t inp = 0;
  std::uint16_t wgt = 0;
  bool operator==(const MicroLoop&) const = default;
};

/// base + sum of counter * stride, the last loop fastest. Without loops: the one micro-op `base`.
struct MicroKernel {
  Uop base;
  std::vector<MicroLoop> loops;

  /// Micro-ops it expands to.
  std::uint64_t size() const;
  bool operator==(const MicroKernel&) const = default;
};

/// The kernel's micro-ops in order. Throws UserError when they are none or more than any buffer holds (2^16).
std::vector<Uop> expand(const MicroKernel& kernel);

/// The micro-ops of several kernels one after the other: the image of window uop.
std::vector<Uop> expand(std::span<const MicroKernel> kernels);

}  // namespace vdla::isa
