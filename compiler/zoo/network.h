// SPDX-License-Identifier: Apache-2.0
// The shape of a network of the zoo: layers over values, without weights.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/op_parts.h"

namespace vdla::zoo {

struct Image {
  std::int64_t h = 0, w = 0, c = 0;
  std::int64_t count() const { return h * w * c; }
};

enum class Kind : std::uint8_t { Conv, Depthwise, Dense, Add, MaxPool, GlobalAveragePool };

/// Layer i writes value i + 1; value 0 is the network's input.
struct Layer {
  std::string name;
  Kind kind = Kind::Conv;
  std::vector<int> inputs;
  Image in, out;  ///< images of the first input and of the output
  graph::Hw kernel, stride;
  graph::Pads pads;
  bool relu = false;

  bool has_weights() const { return kind == Kind::Conv || kind == Kind::Depthwise || kind == Kind::Dense; }
  /// Weights that one output channel has.
  std::int64_t fan_in() const { return kernel.h * kernel.w * (kind == Kind::Depthwise ? 1 : in.c); }
};

struct Network {
  std::string name, summary;
  Image input;
  double low = 0, high = 1;  ///< range of the input's real values
  int samples = 1;           ///< images to calibrate on: few outputs need many
  std::vector<Layer> layers;
};

/// Networks in alphabetical order.
std::vector<Network> networks();

/// The network of that name; UserError lists the known ones.
Network network(std::string_view name);

std::int64_t macs(const Network& network);
std::int64_t parameters(const Network& network);

}  // namespace vdla::zoo
