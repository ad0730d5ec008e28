// SPDX-License-Identifier: Apache-2.0
// Statistics of a tensor's samples, and the 8-bit range that follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/quantize/options.h"

namespace vdla::quantize {

/// real = scale * (q - zero_point), q an int8.
struct Scale {
  double scale = 1;
  int zero_point = 0;

  double low() const { return scale * (-128 - zero_point); }
  double high() const { return scale * (127 - zero_point); }
};

class Statistics {
 public:
  /// First pass. `channels` (1 where there are none) times `inner` elements, as often as they fit.
  void add_range(std::span<const float> values, std::size_t channels, std::size_t inner);
  /// Second pass, over the same values.
  void add_histogram(std::span<const float> values);

  bool is_finite() const { return finite_; }
  double low() const { return low_; }
  double high() const { return high_; }
  /// Mean of each channel.
  std::vector<double> means() const;

  /// Zero is always a value of the range, exactly.
  Scale scale(const Options& options) const;
  /// Share of values outside of the range, and the signal to noise of rounding and cutting, in decibels.
  double cut_off(const Scale& scale) const;
  double snr_db(const Scale& scale) const;

 private:
  /// Bins of magnitudes in [0, largest()].
  static constexpr std::size_t kBins = 2048;

  double largest() const;
  double middle(std::size_t bin) const;
  double cut(const Options& options) const;
  double cut_by_kl() const;

  bool finite_ = true;
  double low_ = 0, high_ = 0;
  std::vector<double> sums_;
  std::uint64_t per_channel_ = 0;
  std::vector<std::uint64_t> positive_, negative_;
};

}  // namespace vdla::quantize
