// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/requant.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "support/error.h"
#include "support/fixed_point.h"

namespace vdla::graph {

Multiplier multiplier_of(double factor) {
  const QuantizedMultiplier q = quantize_multiplier(factor);
  return {q.multiplier, q.shift};
}

void add_guard(std::vector<Multiplier>& multipliers, const std::vector<std::int64_t>& bounds) {
  for (std::size_t i = 0; i < multipliers.size(); ++i) {
    Multiplier& m = multipliers[i];
    const std::int64_t bound = bounds.size() == 1 ? bounds[0] : bounds.at(i);
    const int room = 31 - std::bit_width(static_cast<std::uint64_t>(bound));
    if (m.shift < 0) m.guard = std::clamp(room, 0, 31 + m.shift);
  }
}

std::vector<Multiplier> convolution_multipliers(double input_scale, const std::vector<double>& weight_scales,
                                                double output_scale) {
  std::vector<Multiplier> result;
  for (double weight_scale : weight_scales)
    result.push_back(multiplier_of(input_scale * weight_scale / output_scale));
  return result;
}

AddMultipliers add_multipliers(double a_scale, double b_scale, double output_scale, int left_shift) {
  const double twice_max = 2 * std::max(a_scale, b_scale);
  return {multiplier_of(a_scale / twice_max), multiplier_of(b_scale / twice_max),
          multiplier_of(twice_max / ((1 << left_shift) * output_scale))};
}

Multiplier mean_multiplier(double input_scale, double output_scale, std::int64_t count) {
  const Multiplier whole = multiplier_of(input_scale / output_scale);
  int shift = std::bit_width(static_cast<std::uint64_t>(count)) - 1;
  shift = std::min({shift, 32, 31 + whole.shift});
  return {static_cast<std::int32_t>((std::int64_t{whole.value} << shift) / count), whole.shift - shift};
}

namespace {
constexpr int kDiffIntegerBits = 5;  // differences are Q5.26

/// exp on [-1/4, 0) of a Q0.31 number: a polynomial around -1/8.
std::int32_t exp_of_small(std::int32_t a) {
  constexpr std::int32_t kExpMinusEighth = 1895147668, kThird = 715827883;
  const std::int32_t x = a + (1 << 28);
  const std::int32_t x2 = srdh_mul(x, x), x3 = srdh_mul(x2, x), x4 = srdh_mul(x2, x2);
  const std::int32_t fourth = round_shift_right(x4, 2);
  const std::int32_t tail = round_shift_right(srdh_mul(fourth + x3, kThird) + x2, 1);
  return kExpMinusEighth + srdh_mul(kExpMinusEighth, x + tail);
}

/// exp of a Q5.26 number <= 0, as Q0.31.
std::int32_t exp_of_negative(std::int32_t a) {
  if (a == 0) return INT32_MAX;
  constexpr std::int32_t kQuarter = 1 << 24;
  const std::int32_t within = (a & (kQuarter - 1)) - kQuarter;
  std::int32_t result = exp_of_small(within * (1 << kDiffIntegerBits));
  const std::int32_t quarters = within - a;
  // exp(-2^k) for k = -2 ... 4, one for each bit of the remaining quarters.
  constexpr std::int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  for (int k = 0; k < 7; ++k)
    if (quarters & (kQuarter << k)) result = srdh_mul(result, kFactors[k]);
  return result;
}
}  // namespace

Softmax softmax_parameters(double beta, double input_scale) {
  constexpr int kFractionBits = 31 - kDiffIntegerBits;
  const double largest = static_cast<double>((std::int64_t{1} << 31) - 1);
  Softmax result;
  result.input = multiplier_of(std::min(beta * input_scale * (1 << kFractionBits), largest));
  VDLA_CHECK_USER(result.input.shift >= 0)
      << "softmax of scale " << input_scale << " and beta " << beta << " needs a scale of at least 2^-26";
  const double radius = static_cast<double>((1 << kDiffIntegerBits) - 1) *
                        static_cast<double>(std::int64_t{1} << kFractionBits) /
                        static_cast<double>(std::int64_t{1} << result.input.shift);
  result.diff_min = -static_cast<std::int32_t>(std::floor(radius));
  return result;
}

std::array<std::int32_t, 256> softmax_exponentials(const Softmax& softmax) {
  std::array<std::int32_t, 256> table{};
  for (int i = 0; i < 256; ++i) {
    const std::int32_t difference = i - 255;
    if (difference < softmax.diff_min) continue;
    const std::int32_t shifted = wrap_shift_left(difference, static_cast<unsigned>(softmax.input.shift));
    table[static_cast<std::size_t>(i)] = exp_of_negative(srdh_mul(shifted, softmax.input.value));
  }
  return table;
}

std::int32_t quantize_clamped(double real, double scale, std::int32_t zero_point, std::int32_t low,
                              std::int32_t high) {
  const float steps = std::round(static_cast<float>(real) / static_cast<float>(scale));
  return static_cast<std::int32_t>(std::clamp<double>(static_cast<double>(steps) + zero_point, low, high));
}

}  // namespace vdla::graph
