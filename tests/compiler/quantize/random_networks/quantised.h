// SPDX-License-Identifier: Apache-2.0
// A drawn network on the way of vdla quantize and vdla compile, beside its float results.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/compiler/quantize/random_networks/draw.h"

namespace vdla::random_networks {

/// Elements of the output for a sample.
using Reference = std::function<std::vector<float>(const Network& network, std::size_t sample)>;

/// The results of the file's own import.
std::vector<float> in_float(const Network& network, std::size_t sample);

struct Verdict {
  std::string refused;  ///< not empty: what was refused, and by whom
  double snr_db = 0;    ///< signal to noise of the int8 network against the reference, over all samples
  std::size_t layers = 0;
  std::vector<std::string> left_in_float;  ///< operators without scales, as the quantiser tells
  std::vector<std::string> floats;         ///< nodes of the int8 network that compute in floats
};

/// Writes a TFLite network as ONNX, quantises it, compiles the result for the variant `paper` and runs it on
/// the functional engine.
Verdict quantised(const Network& network, const Reference& reference);

}  // namespace vdla::random_networks
