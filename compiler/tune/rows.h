// SPDX-License-Identifier: Apache-2.0
// Row of a point for a model: figures of its knobs that mean the same for layers of other sizes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/knobs/space.h"

namespace vdla::tune {

/// A table of equally long rows of features.
class Rows {
 public:
  explicit Rows(std::size_t columns) : columns_(columns) {}

  void add(std::span<const float> row);
  std::size_t columns() const { return columns_; }
  std::size_t size() const { return columns_ == 0 ? 0 : values_.size() / columns_; }
  const std::vector<float>& values() const { return values_; }

 private:
  std::size_t columns_;
  std::vector<float> values_;  ///< row after row
};

/// Figures of a size: its logarithm, its share of the range, how many parts it cuts the range into, what they
/// add to it; of a choice: one number for each value, 1 for the one that it is; of two sizes: the logarithm
/// of their product; then the logarithm of the estimate. The same length for all points of a space.
std::vector<float> row_of(const pipeline::KnobSpace& space, const pipeline::Point& point, double estimate);

}  // namespace vdla::tune
