// SPDX-License-Identifier: Apache-2.0
// Layers of a network: what is quantised, or left in float, as one.
#pragma once

#include <string>
#include <vector>

#include "compiler/quantize/network.h"

namespace vdla::quantize {

/// An operator that computes, with its bias and its clamp where these are nodes.
struct Layer {
  std::string node, op;            ///< name and operator of the first node
  std::vector<int> nodes;          ///< numbers of its nodes
  std::vector<std::string> reads;  ///< activations from outside of the layer
  std::vector<std::string> made;   ///< outputs of its nodes; the last is the layer's

  const std::string& tensor() const { return made.back(); }
};

/// Layers of all operators that have an integer form and compute, in the order of the nodes.
std::vector<Layer> layers_of(const Network& network);

}  // namespace vdla::quantize
