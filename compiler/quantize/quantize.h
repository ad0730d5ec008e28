// SPDX-License-Identifier: Apache-2.0
// Post-training quantisation: a float ONNX model and samples of its input give a standard ONNX model with
// QuantizeLinear and DequantizeLinear (QDQ) around its operators.
//
// Weights are int8, symmetric, with a scale per output channel; activations int8 with a scale and a zero
// point per tensor; biases int32 in the scale of the products. Cross-layer equalisation and bias correction
// follow Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction" (ICCV 2019),
// the latter with means that were measured on the samples.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "compiler/quantize/options.h"
#include "compiler/quantize/result.h"
#include "compiler/quantize/run.h"

namespace vdla::quantize {

/// Inputs of other types than float32 keep them. Throws UserError: no float model, no samples, nothing to
/// quantise, values that are not finite.
Result quantize(std::span<const std::byte> model, const std::string& name, std::span<const Sample> samples,
                const Prepare& prepare, const Options& options);

/// Whether the model has layers within nodes: in the body of an If, a Loop or a function, in a recurrent
/// operator, in one of another domain. The quantiser reads such networks as their graph is written
/// (compiler/onnx_writer), in which these layers are nodes.
bool hides_layers(std::span<const std::byte> model);

}  // namespace vdla::quantize
