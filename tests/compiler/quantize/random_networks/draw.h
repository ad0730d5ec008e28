// SPDX-License-Identifier: Apache-2.0
// Float TFLite networks of a few layers, drawn by a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_networks {

/// A network with one input, its weights as float32, as float16 behind DEQUANTIZE or as int8 with scales.
/// Each sample is drawn as the input of the network is.
struct Network {
  random_tflite::Drawn drawn;
  std::vector<graph::Bytes> samples;
};

Network draw(std::uint64_t seed);

}  // namespace vdla::random_networks
