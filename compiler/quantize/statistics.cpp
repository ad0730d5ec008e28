// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/error.h"

namespace vdla::quantize {

void Statistics::add_range(std::span<const float> values, std::size_t channels, std::size_t inner) {
  sums_.resize(channels);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = values[i];
    finite_ = finite_ && std::isfinite(v);
    low_ = std::min(low_, v);
    high_ = std::max(high_, v);
    sums_[i / inner % channels] += v;
  }
  per_channel_ += values.size() / channels;
}

std::vector<double> Statistics::means() const {
  std::vector<double> result = sums_;
  for (double& m : result) m /= static_cast<double>(std::max<std::uint64_t>(per_channel_, 1));
  return result;
}

double Statistics::largest() const { return std::max(-low_, high_); }

double Statistics::middle(std::size_t bin) const {
  return (static_cast<double>(bin) + 0.5) * largest() / static_cast<double>(kBins);
}

void Statistics::add_histogram(std::span<const float> values) {
  positive_.resize(kBins);
  negative_.resize(kBins);
  if (largest() == 0) return;
  for (const float v : values) {
    const auto bin = static_cast<std::size_t>(std::abs(double{v}) / largest() * static_cast<double>(kBins));
    ++(v < 0 ? negative_ : positive_)[std::min(bin, kBins - 1)];
  }
}

double Statistics::cut(const Options& options) const {
  if (options.method == RangeMethod::MinMax || positive_.empty() || largest() == 0) return largest();
  if (options.method == RangeMethod::Kl) return cut_by_kl();
  std::uint64_t total = 0, seen = 0;
  for (std::size_t b = 0; b < kBins; ++b) total += positive_[b] + negative_[b];
  const auto wanted =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(total) * options.percentile / 100));
  std::size_t bins = 0;
  while (bins < kBins && seen < wanted) {
    seen += positive_[bins] + negative_[bins];
    ++bins;
  }
  return largest() * static_cast<double>(std::max<std::size_t>(bins, 1)) / static_cast<double>(kBins);
}

/// Cuts magnitudes at each bin, puts them into as many levels as int8 has for them, and takes the cut whose
/// distribution is nearest to the uncut one's by Kullback and Leibler's divergence (Migacz, "8-bit Inference
/// with TensorRT", GTC 2017). Exact zeros, which every range holds, do not count.
double Statistics::cut_by_kl() const {
  std::vector<double> all(kBins);
  for (std::size_t b = 0; b < kBins; ++b) all[b] = static_cast<double>(positive_[b] + negative_[b]);
  all[0] = 0;
  const std::size_t levels = low_ < 0 ? 128 : 256;
  double best = std::numeric_limits<double>::infinity();
  std::size_t cut = kBins;
  for (std::size_t bins = levels; bins <= kBins; bins += 8) {
    std::vector<double> p(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(bins));
    const double outside = std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(bins), all.end(), 0.0);
    p.back() += outside;
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    if (total == 0) continue;
    double divergence = 0, inside = total - outside;
    if (inside == 0) continue;
    for (std::size_t level = 0; level < levels; ++level) {
      const std::size_t begin = level * bins / levels, end = (level + 1) * bins / levels;
      double sum = 0;
      std::size_t filled = 0;
      for (std::size_t b = begin; b < end; ++b) {
        sum += all[b];
        filled += p[b] > 0 ? 1 : 0;
      }
      for (std::size_t b = begin; b < end; ++b) {
        if (p[b] == 0) continue;
        // The level's values spread over its bins; where all of them lie outside of the cut there are none.
        const double q = std::max(sum / static_cast<double>(filled) / inside, 1e-12);
        divergence += p[b] / total * std::log(p[b] / total / q);
      }
    }
    if (divergence < best) {
      best = divergence;
      cut = bins;
    }
  }
  return largest() * static_cast<double>(cut) / static_cast<double>(kBins);
}

Scale Statistics::scale(const Options& options) const {
  const double limit = cut(options);
  const double low = std::max(low_, -limit), high = std::min(high_, limit);
  Scale result;
  if (high == low) return result;
  // A file stores floats.
  result.scale = static_cast<float>((high - low) / 255);
  result.zero_point = static_cast<int>(std::clamp(std::round(-128 - low / result.scale), -128.0, 127.0));
  return result;
}

double Statistics::cut_off(const Scale& scale) const {
  double outside = 0, total = 0;
  for (std::size_t b = 0; b < positive_.size(); ++b) {
    total += static_cast<double>(positive_[b] + negative_[b]);
    if (middle(b) > scale.high() + scale.scale / 2) outside += static_cast<double>(positive_[b]);
    if (-middle(b) < scale.low() - scale.scale / 2) outside += static_cast<double>(negative_[b]);
  }
  return total == 0 ? 0 : outside / total;
}

double Statistics::snr_db(const Scale& scale) const {
  double signal = 0, noise = 0;
  const auto count = [&](double value, std::uint64_t n) {
    const double cut = value - std::clamp(value, scale.low(), scale.high());
    signal += static_cast<double>(n) * value * value;
    noise += static_cast<double>(n) * (cut != 0 ? cut * cut : scale.scale * scale.scale / 12);
  };
  for (std::size_t b = 0; b < positive_.size(); ++b) {
    count(middle(b), positive_[b]);
    count(-middle(b), negative_[b]);
  }
  return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
}

}  // namespace vdla::quantize
