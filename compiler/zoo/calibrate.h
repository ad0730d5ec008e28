// SPDX-License-Identifier: Apache-2.0
// Seeded weights for a network of the zoo, and scales for all of its values.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/zoo/network.h"
#include "compiler/zoo/tokens.h"

namespace vdla::zoo {

/// The value meant is scale * (element - zero_point).
struct Quantizer {
  float scale = 1;
  int zero_point = 0;
};

/// Parameters of one layer. Without weights all vectors of them are empty.
struct Parameters {
  std::vector<float> weights, bias;      ///< weights: [out channel][y][x][in channel]
  std::vector<std::int8_t> int_weights;  ///< weights / weight_scales of the channel
  std::vector<float> weight_scales;      ///< one for each output channel
  std::vector<float> bias_scales;        ///< input scale * weight scale
  std::vector<std::int32_t> int_bias;    ///< bias / bias_scales
  TokenConstants constants;
  Quantizer out;
};

struct Calibrated {
  Network network;
  Quantizer input;
  std::vector<Parameters> layers;
};

/// Runs the quantised network layer by layer on seeded images; each layer's batch norm and output scale are
/// chosen from what its inputs make of them.
Calibrated calibrate(Network network, std::uint64_t seed);

}  // namespace vdla::zoo
