// SPDX-License-Identifier: Apache-2.0
// The numbers of a geometry without their names, so that tests reach one that was added yesterday.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "isa/spec/geometry.h"

namespace vdla::isa {

using GeometryNumbers = std::array<unsigned, sizeof(Geometry) / sizeof(unsigned)>;

/// The default geometry with one number set to `change(number)`, for each number in the order of declaration.
template <class F>
std::vector<Geometry> geometries_with_one_changed(const F& change) {
  std::vector<Geometry> all;
  for (std::size_t i = 0; i < GeometryNumbers{}.size(); ++i) {
    auto numbers = std::bit_cast<GeometryNumbers>(Geometry{});
    numbers[i] = change(numbers[i]);
    all.push_back(std::bit_cast<Geometry>(numbers));
  }
  return all;
}

}  // namespace vdla::isa
