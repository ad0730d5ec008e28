// SPDX-License-Identifier: Apache-2.0
// Post-training quantisation: a float ONNX model and samples of its input give a standard ONNX model with
// QuantizeLinear and DequantizeLinear (QDQ) around its operators.
//
// Weights are int8, symmetric, with a scale per output channel; activations int8 with a scale and a zero
// point per tensor; biases int32 in the scale of the products. Cross-layer equalisation and bias correction
// follow Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction" (ICCV 2019),
// the latter with means that were measured on the samples.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/types.h"
#include "compiler/quantize/options.h"
#include "compiler/quantize/result.h"

namespace vdla::quantize {

/// A float model that is ready to run: a sample (the bytes of its only input) to the values of its outputs,
/// in order.
using Run = std::function<std::vector<std::vector<float>>(const graph::Bytes& sample)>;
/// Makes a model (the bytes of an ONNX file) ready to run.
using Prepare = std::function<Run(const graph::Bytes& model)>;

/// Throws UserError: no float model, several inputs, no samples, nothing to quantise, values that are not
/// finite.
Result quantize(std::span<const std::byte> model, const std::string& name,
                std::span<const graph::Bytes> samples, const Prepare& prepare, const Options& options);

}  // namespace vdla::quantize
