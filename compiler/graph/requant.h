// SPDX-License-Identifier: Apache-2.0
// Scales to the integers of the kernel contract. The arithmetic is in double, in the order in which the
// reference kernels do it, because the last bit of a multiplier shows in the outputs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/graph/op.h"

namespace vdla::graph {

/// Q31 multiplier and shift of a positive real factor; 0 gives 0. UserError where it needs a shift outside of
/// -31..30.
Multiplier multiplier_of(double factor);

/// Gives each multiplier the guard bits for which values up to its bound (one, or one per multiplier) have
/// room.
void add_guard(std::vector<Multiplier>& multipliers, const std::vector<std::int64_t>& bounds);

/// input scale * weight scale / output scale, one for each weight scale.
std::vector<Multiplier> convolution_multipliers(double input_scale, const std::vector<double>& weight_scales,
                                                double output_scale);

/// ADD: both inputs are scaled by half of the larger input scale, the sum by the rest.
struct AddMultipliers {
  Multiplier a, b, out;
};
AddMultipliers add_multipliers(double a_scale, double b_scale, double output_scale, int left_shift);

/// The multiplier of a mean over `count` elements: 1 / count goes into the integer multiplier, as the
/// reference does it.
Multiplier mean_multiplier(double input_scale, double output_scale, std::int64_t count);

/// Input multiplier and diff_min of the int8 softmax.
Softmax softmax_parameters(double beta, double input_scale);

/// exp(x) in Q0.31 for x = -(255 - i) ... 0 steps of the input: entry i belongs to the difference i - 255.
std::array<std::int32_t, 256> softmax_exponentials(const Softmax& softmax);

/// q = round(real / scale) + zero point, limited to the integers' ends: how activation limits become clamps.
std::int32_t quantize_clamped(double real, double scale, std::int32_t zero_point, std::int32_t low = -128,
                              std::int32_t high = 127);

}  // namespace vdla::graph
