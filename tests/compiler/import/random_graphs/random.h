// SPDX-License-Identifier: Apache-2.0
// Numbers from a seed, the same on every machine: the standard fixes the engine, not the distributions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace vdla::random_graphs {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15ULL + 1) {}

  /// 0 to count - 1.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(count));
  }
  /// Both ends included.
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool chance(double probability) { return unit() < probability; }
  double between(double low, double high) { return low + (high - low) * unit(); }

  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
  }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(static_cast<std::int64_t>(all.size()))];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i)
      std::swap(all[i - 1], all[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
  }

 private:
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  std::mt19937_64 engine_;
};

}  // namespace vdla::random_graphs
