// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: the distributions of the standard library are not.
#pragma once

#include <cstdint>
#include <random>

namespace vdla::zoo {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Number in [low, high).
  double uniform(double low, double high) {
    const double unit = static_cast<double>(engine_() >> 11) * 0x1p-53;
    const double offset = unit * (high - low);
    return low + static_cast<double>(static_cast<float>(offset));  // the cast keeps product and sum apart
  }

  /// 0 ... 255
  int byte() { return static_cast<int>(engine_() >> 56); }

  /// Mean 0, deviation 1, nearly normal: the sum of eight numbers of 16 bits.
  double normal() {
    std::int64_t sum = -4 * 65535;
    for (int draw = 0; draw < 2; ++draw) {
      const std::uint64_t bits = engine_();
      for (int shift = 0; shift < 64; shift += 16) sum += static_cast<std::int64_t>(bits >> shift & 0xffff);
    }
    return static_cast<double>(sum) / 53509.97;  // sqrt(8 * (2^32 - 1) / 12)
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace vdla::zoo
