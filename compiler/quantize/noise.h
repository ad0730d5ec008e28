// SPDX-License-Identifier: Apache-2.0
// Noise that quantising adds to a tensor.
#pragma once

#include <span>

namespace vdla::quantize {

/// Ratio of two powers in decibels, between -999 and 999: 999 without noise, -999 with noise alone.
double decibels(double signal, double noise);

/// A tensor of the float network against the same one of a quantised network, over samples.
class Noise {
 public:
  /// Values that are not finite in the float network are left out.
  void add(std::span<const float> want, std::span<const float> have);

  double snr_db() const { return decibels(signal_, noise_); }

 private:
  double signal_ = 0, noise_ = 0;
};

}  // namespace vdla::quantize
