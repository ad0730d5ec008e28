// SPDX-License-Identifier: Apache-2.0
// The networks of the TVM paper's Figure 14 that are chains of layers: MobileNet, DQN, the generator of
// DCGAN, one step of an LSTM language model. They are written once, as a list of layers; the kit's graph is
// made of it here, and rivals.py makes what others compute of the same list, which stands in the package.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/gpu/package.h"
#include "compiler/graph/graph.h"

namespace vdla::bench::gpu {

/// A layer of one image, N C H W, or of one vector. Each has a bias for its outputs.
struct ChainLayer {
  enum class Kind : std::uint8_t {
    Conv,
    Depthwise,
    Transposed,  ///< convolution, as ONNX's ConvTranspose
    Dense,       ///< product over all elements
    Lstm,        ///< one step of a cell; its states are inputs and outputs of the network
    Mean,        ///< mean of each channel
    Image,       ///< the vector as an image, of kernel x kernel pixels
  };
  enum class Act : std::uint8_t { None, Relu, Tanh };

  Kind kind = Kind::Conv;
  std::int64_t outputs = 0;  ///< channels, or elements of a vector
  std::int64_t kernel = 1, stride = 1, padding = 0;
  Act act = Act::None;
};

struct Chain {
  std::string id, summary;
  graph::Shape input;  ///< 1 C H W or 1 C
  std::vector<ChainLayer> layers;
};

/// Chains in the order of the paper's figure.
std::vector<Chain> chains();

graph::Graph graph_of(const Chain& chain);
/// Multiplications and additions of one inference, without those with the zeros that a transposed convolution
/// puts between pixels.
double flops_of(const Chain& chain);
/// {"input": shape, "layers": [{"kind": ..., "outputs": ..., ...}]}
Json to_json(const Chain& chain);

}  // namespace vdla::bench::gpu
