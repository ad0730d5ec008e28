// SPDX-License-Identifier: Apache-2.0
// Elements along a dimension made of others at places that are known when the model is compiled.
#pragma once

#include <vector>

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// Element i along `axis` of the result is the sum of the elements at places[t][i] by weights[t][i], in
/// float32 where x has integers; or the element at places[0][i] where there is one tap.
Value resampled(const Composer& c, const Value& x, std::size_t axis, const std::vector<Integers>& places,
                const std::vector<std::vector<double>>& weights);

}  // namespace vdla::import::tensor
