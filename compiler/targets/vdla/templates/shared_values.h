// SPDX-License-Identifier: Apache-2.0
// Constant elements that copies share: copying a layer copies no weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace vdla::pipeline::device {

/// A span together with what keeps its memory alive: a tensor of the graph, or a vector made for it.
template <class T>
class SharedValues {
 public:
  SharedValues() = default;
  SharedValues(std::vector<T> values) {  // a vector is one already
    const auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    values_ = *owned;
    owner_ = owned;
  }
  SharedValues(std::shared_ptr<const void> owner, std::span<const T> values)
      : owner_(std::move(owner)), values_(values) {}

  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T& operator[](std::size_t i) const { return values_[i]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  /// Elements [first, first + count).
  SharedValues part(std::int64_t first, std::int64_t count) const {
    return {owner_, values_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count))};
  }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const T> values_;
};

}  // namespace vdla::pipeline::device
