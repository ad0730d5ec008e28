// SPDX-License-Identifier: Apache-2.0
// A quantised model, and what was seen while it was made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/types.h"

namespace vdla::quantize {

/// An activation. Signal to noise, in decibels, is that of rounding and of cutting off, on the samples'
/// histogram.
struct ActivationReport {
  std::string tensor;
  double low = 0, high = 0;  ///< range of the samples
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
  double largest_correction = 0;                       ///< correction of a bias, in the unit of the output
};

/// A layer of the network whose layers are all quantised.
struct LayerReport {
  std::string node, op, tensor;
  double snr_db = 0;    ///< signal to noise of its output against the float network's
  double alone_db = 0;  ///< SNR of its own rounding, there or where it is read
  bool in_float = false;
};

/// The quantised network against the float one, on the samples.
struct NetworkReport {
  double snr_db = 0;                ///< signal to noise of the output that has the lowest
  double int8_db = 0;               ///< SNR of that output with all layers quantised
  std::size_t agreeing = 0;         ///< samples with the same largest element of the first output
  std::vector<LayerReport> layers;  ///< sorted by alone_db
};

struct Result {
  graph::Bytes model;
  std::vector<ActivationReport> activations;
  std::vector<WeightReport> weights;
  int folded_batch_norms = 0, equalised_pairs = 0;
  std::vector<std::string> left_in_float;  ///< "Operator at node 'name'"
  std::optional<NetworkReport> network;    ///< nothing: options do not ask for it
};

}  // namespace vdla::quantize
