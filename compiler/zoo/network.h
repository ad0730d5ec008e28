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

/// Tokens are an image of one row: {1, tokens, channels}. Heads of an attention are its rows.
enum class Kind : std::uint8_t {
  Conv,
  Depthwise,
  Dense,
  Add,
  MaxPool,
  GlobalAveragePool,
  Embedding,    ///< rows of a table, by numbers of tokens; and a constant for each position, where there are
                ///< some
  Tokens,       ///< pixels as tokens behind a constant one, and a constant for each position
  Linear,       ///< dense layer of each token
  LayerNorm,    ///< each token on its own
  Heads,        ///< channels of tokens to heads
  Append,       ///< a cached tensor of heads, and tokens behind it; the network gives all but the oldest back
  Scores,       ///< products of queries and keys over the root of their length
  Softmax,      ///< over the last dimension
  WeightedSum,  ///< values by scores
  Merge,        ///< heads to channels of tokens
  Gelu,
  Tanh,
  FirstToken,
};

/// Layer i writes value i + 1; value 0 is the network's input.
struct Layer {
  std::string name;
  Kind kind = Kind::Conv;
  std::vector<int> inputs;
  Image in, out;  ///< images of the first input and of the output
  graph::Hw kernel, stride;
  graph::Pads pads;
  bool relu = false;
  bool symmetric = false;  ///< zero is element 0: a product has no sums to take off
  bool positions = false;  ///< Embedding: adds a constant for each position

  bool has_weights() const {
    return kind == Kind::Conv || kind == Kind::Depthwise || kind == Kind::Dense || kind == Kind::Linear;
  }
  /// Elements of the input stay as they are.
  bool moves() const {
    return kind == Kind::Heads || kind == Kind::Append || kind == Kind::Merge || kind == Kind::FirstToken;
  }
  /// Weights that one output channel has.
  std::int64_t fan_in() const { return kernel.h * kernel.w * (kind == Kind::Depthwise ? 1 : in.c); }
};

struct Network {
  std::string name, summary;
  Image input;
  double low = 0, high = 1;  ///< range of the input's real values
  int samples = 1;           ///< images to calibrate on: few outputs need many
  std::vector<Layer> layers;
  std::int64_t vocabulary = 0;  ///< not 0: the input is a number below it for each token, not an image
};

/// Networks in alphabetical order.
std::vector<Network> networks();

/// Networks of images, of tokens.
std::vector<Network> image_networks();
std::vector<Network> token_networks();

/// The network of that name; UserError lists the known ones.
Network network(std::string_view name);

std::int64_t macs(const Network& network);
std::int64_t parameters(const Network& network);

}  // namespace vdla::zoo
