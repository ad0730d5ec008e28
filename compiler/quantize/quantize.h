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
#include "support/preprocessing.h"

namespace vdla::quantize {

// name, text: how a tensor's range follows from the values that samples give it.
#define VDLA_RANGE_METHODS(X)                                                          \
  X(MinMax, "minmax")         /* all of them */                                        \
  X(Percentile, "percentile") /* but the largest magnitudes, by Options::percentile */ \
  X(Kl, "kl")                 /* the cut whose 8-bit histogram tells least from the float one */

enum class RangeMethod : std::uint8_t {
#define VDLA_ENUM(name, text) name,
  VDLA_RANGE_METHODS(VDLA_ENUM)
#undef VDLA_ENUM
};

struct Options {
  RangeMethod method = RangeMethod::MinMax;
  double percentile = 99.99;  ///< share of magnitudes inside the range, in percent
  bool equalise = false;
  bool correct_bias = true;
  Preprocessing pixels = {};  ///< how images became the samples: written into the model
};

/// A float model that is ready to run: a sample (the bytes of its only input) to the values of its outputs,
/// in order.
using Run = std::function<std::vector<std::vector<float>>(const graph::Bytes& sample)>;
/// Makes a model (the bytes of an ONNX file) ready to run.
using Prepare = std::function<Run(const graph::Bytes& model)>;

/// An activation. Signal to noise, in decibels, is that of rounding and of cutting off, on the samples'
/// histogram.
struct ActivationReport {
  std::string tensor;
  double low = 0, high = 0;  ///< of the samples
  double scale = 1;
  int zero_point = 0;
  double cut_off = 0;  ///< share of the values outside of the range
  double snr_db = 0;
};

/// The weights of a layer. Signal to noise of all of them, and of the worst output channels.
struct WeightReport {
  std::string node, op;
  double snr_db = 0;
  std::vector<std::pair<std::int64_t, double>> worst;  ///< channel, decibels; worst first, three at most
  double largest_correction = 0;                       ///< of a bias, in the unit of the output
};

struct Result {
  graph::Bytes model;
  std::vector<ActivationReport> activations;
  std::vector<WeightReport> weights;
  int folded_batch_norms = 0, equalised_pairs = 0;
  std::vector<std::string> left_in_float;  ///< "Operator at node 'name'"
};

/// Throws UserError: no float model, several inputs, no samples, nothing to quantise, values that are not
/// finite.
Result quantize(std::span<const std::byte> model, const std::string& name,
                std::span<const graph::Bytes> samples, const Prepare& prepare, const Options& options);

}  // namespace vdla::quantize
