// SPDX-License-Identifier: Apache-2.0
// Cycles in which a link between units is held back, so that tests shake its handshakes: the RTL's
// vdla_stall. A function of the cycle alone, so that a waiting process knows when to look again.
#pragma once

#include <cstdint>

namespace vdla::sim {

class Stalls {
 public:
  static constexpr unsigned kAlways = 256;

  /// Never.
  Stalls() = default;
  /// Stalls in about rate / kAlways of the cycles; at the rate kAlways nothing would ever move.
  Stalls(std::uint64_t seed, unsigned rate) : seed_(seed), rate_(rate) {}

  unsigned rate() const { return rate_; }
  bool at(std::uint64_t cycle) const { return rate_ != 0 && drawn(cycle) < rate_; }
  /// First cycle from this one on that is not held back.
  std::uint64_t free_from(std::uint64_t cycle) const {
    while (at(cycle)) ++cycle;
    return cycle;
  }
  /// Stalls of a link at this rate, drawn on their own.
  Stalls of_link(std::uint64_t link) const { return {mixed(seed_ + 1 + link), rate_}; }

  bool operator==(const Stalls&) const = default;

 private:
  /// SplitMix64's output function.
  static std::uint64_t mixed(std::uint64_t x) {
    x *= 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
  unsigned drawn(std::uint64_t cycle) const { return static_cast<unsigned>(mixed(seed_ + cycle) >> 56); }

  std::uint64_t seed_ = 0;
  unsigned rate_ = 0;
};

}  // namespace vdla::sim
