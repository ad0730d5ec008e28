// SPDX-License-Identifier: Apache-2.0
// The kernel contract in plain C++, dense NHWC, image by image: what the device's layers must equal. Also
// seeded random layers.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "compiler/targets/vdla/templates/ops.h"

namespace vdla::pipeline::device {

using Int8s = std::vector<std::int8_t>;

Int8s reference(const Op& op, const std::vector<Int8s>& inputs);

Int8s random_int8(std::size_t count, std::mt19937& random);
/// Random weights, bias and multipliers whose results use the range of int8. Weights of size 0 are filled in.
void randomise(Conv2d& op, std::mt19937& random);
void randomise(DepthwiseConv2d& op, std::mt19937& random);
/// A sum of images of this size.
Add random_add(const Image& image, std::mt19937& random);
void randomise(OutputStage& stage, std::int64_t channels, double gain, std::mt19937& random);

}  // namespace vdla::pipeline::device
