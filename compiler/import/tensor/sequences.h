// SPDX-License-Identifier: Apache-2.0
// Sequences of different lengths, as every format has them.
#pragma once

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// x, in which the first elements of dimension `steps` come backwards: as many as `lengths` says, one number
/// for each index of dimension `batch`.
Value backwards(const Composer& c, const Value& x, const Value& lengths, std::size_t steps,
                std::size_t batch);

}  // namespace vdla::import::tensor
