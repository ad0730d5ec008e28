// SPDX-License-Identifier: Apache-2.0
// Seeded images for a network of the zoo, as its int8 input.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/zoo/network.h"

namespace vdla::zoo {

/// NHWC, `count` images. Every other one is noise over the whole range; the rest are smooth patches of colour
/// with a little noise, as photographs are.
std::vector<std::int8_t> sample_images(const Image& shape, int count, std::uint64_t seed);

}  // namespace vdla::zoo
