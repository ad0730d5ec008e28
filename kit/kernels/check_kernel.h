// SPDX-License-Identifier: Apache-2.0
// Kernels of a function on a device with a grid, against the function's loops in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"
#include "runtime/grid/device.h"

namespace vdla::kit {

struct KernelDifference {
  std::string param;
  std::size_t element = 0, count = 0;  ///< the first one, and how many there are
  double expected = 0, seen = 0;
};

/// Tolerance of floats, as a part of the largest magnitude that the parameter has. Integers are equal.
inline constexpr double kKernelTolerance = 1e-5;
/// Tolerance where factors are rounded to tf32 (pipeline::GridTemplate::rounds()).
inline constexpr double kRoundedTolerance = 2e-3;

struct KernelCheck {
  double largest = 0;  ///< difference of floats, as a part of the largest magnitude
  std::optional<KernelDifference> difference;
};

/// Values for a parameter: bytes are any; wider numbers are small, so that most sums of floats are exact in
/// every order.
std::vector<std::byte> draw_values(const expr::Buffer& buffer, std::mt19937_64& random);
/// Adds to `check` how what was `seen` differs; its first difference stays.
void compare_values(const expr::Buffer& buffer, std::span<const std::byte> expected,
                    std::span<const std::byte> seen, KernelCheck& check, double tolerance = kKernelTolerance);

/// Runs `program` and the loops of `func` on inputs drawn from `seed`; outputs are poisoned before. UserError
/// for a function that reads elements outside of its buffers.
KernelCheck check_kernel(const loop::Func& func, gpu::Loaded& program, std::uint64_t seed);

}  // namespace vdla::kit
