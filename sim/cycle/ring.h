// SPDX-License-Identifier: Apache-2.0
// A queue with a fixed place for each item: what a timeline remembers of the latest bursts and beats.
#pragma once

#include <array>
#include <cstddef>

namespace vdla::sim {

/// At most N items, oldest first.
template <class T, std::size_t N>
class Ring {
  static_assert((N & (N - 1)) == 0, "places are found by a mask");

 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T& front() const { return items_[first_ & kMask]; }
  const T& back() const { return (*this)[size_ - 1]; }
  T& operator[](std::size_t i) { return items_[(first_ + i) & kMask]; }
  const T& operator[](std::size_t i) const { return items_[(first_ + i) & kMask]; }
  /// Needs room.
  void push(const T& item) { items_[(first_ + size_++) & kMask] = item; }
  /// The oldest item gives its place when there is no room.
  void push_latest(const T& item) {
    if (size_ == N) pop();
    push(item);
  }
  void pop() { ++first_, --size_; }

 private:
  static constexpr std::size_t kMask = N - 1;
  std::array<T, N> items_{};
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace vdla::sim
