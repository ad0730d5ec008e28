// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/noise.h"

#include <algorithm>
#include <cmath>

#include "support/error.h"

namespace vdla::quantize {

double decibels(double signal, double noise) {
  constexpr double kMost = 999;
  if (noise == 0) return kMost;
  if (signal == 0) return -kMost;
  return std::clamp(10 * std::log10(signal / noise), -kMost, kMost);
}

void Noise::add(std::span<const float> want, std::span<const float> have) {
  VDLA_CHECK(want.size() == have.size()) << have.size() << " values beside " << want.size();
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!std::isfinite(want[i])) continue;
    const double error = double{have[i]} - want[i];
    signal_ += double{want[i]} * want[i];
    noise_ += error * error;
  }
}

}  // namespace vdla::quantize
