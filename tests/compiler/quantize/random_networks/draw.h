// SPDX-License-Identifier: Apache-2.0
// Float networks of a few layers, drawn by a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/compiler/import/random_tflite/draw.h"
#include "tests/compiler/quantize/random_networks/onnx_rows.h"

namespace vdla::random_networks {

/// A network with one input. Each sample is drawn as the input of the network is.
struct Network {
  random_tflite::Drawn drawn;
  std::vector<graph::Bytes> samples;
  bool is_onnx = false;  ///< the model is an ONNX file, not a TFLite file
};

/// A TFLite network, its weights as float32, as float16 behind DEQUANTIZE or as int8 with scales.
Network draw(std::uint64_t seed);

/// An ONNX network of operators of onnx_rows() between convolutions.
Network draw_onnx(std::uint64_t seed);
/// An ONNX network of this operator between two convolutions.
Network draw_onnx(const OnnxRow& row, std::uint64_t seed);

}  // namespace vdla::random_networks
