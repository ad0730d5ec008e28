// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine (the standard distributions are not).
#pragma once

#include <cstdint>
#include <span>

namespace vdla::isa {

/// splitmix64.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// low to high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(unsigned n) { return n != 0 && bits() % n == 0; }
  template <class T, std::size_t N>
  T pick(const T (&list)[N]) {
    return list[bits() % N];
  }
  /// Mostly small, sometimes up to `high`.
  std::int64_t skewed(std::int64_t low, std::int64_t high) {
    return one_in(4) ? between(low, high) : between(low, low + (high - low) / 4);
  }

 private:
  std::uint64_t state_;
};

}  // namespace vdla::isa
