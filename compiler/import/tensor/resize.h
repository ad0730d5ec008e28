// SPDX-License-Identifier: Apache-2.0
// Elements that a Resize or Upsample adds up.
#pragma once

#include <vector>

#include "compiler/import/tensor/node.h"

namespace vdla::import::tensor {

/// Element i along a dimension of the output is the sum of the input's elements at places[t][i] by
/// weights[t][i]; one tap is taken as it is.
struct Taps {
  std::vector<Integers> places;
  std::vector<std::vector<double>> weights;
};

/// Taps along each dimension of input 0 of a Resize or Upsample that fills nothing outside of its input; none
/// for a dimension that stays as it is.
std::vector<Taps> resize_taps(const Node& c);

}  // namespace vdla::import::tensor
