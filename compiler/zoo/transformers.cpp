// SPDX-License-Identifier: Apache-2.0
// Networks of tokens.
#include <utility>

#include "compiler/zoo/network.h"

namespace vdla::zoo {
namespace {

/// Sizes of the layers of a transformer.
struct Sizes {
  std::int64_t width, heads, inner;
  std::int64_t cached = 0;  ///< tokens before those of the input, whose keys and values are inputs
};

/// Adds layers; a layer's number is its value's.
class TokenBuilder {
 public:
  TokenBuilder(Network network, const Sizes& sizes) : network_(std::move(network)), sizes_(sizes) {}

  int add(const std::string& name, Kind kind, std::vector<int> inputs, const Image& out) {
    const Image in = shape(inputs[0]);
    network_.layers.push_back({name, kind, std::move(inputs), in, out, {}, {}, {}, false});
    return static_cast<int>(network_.layers.size());
  }
  /// A layer whose output has the shape of its input.
  int add(const std::string& name, Kind kind, int x) { return add(name, kind, {x}, shape(x)); }
  int linear(const std::string& name, int x, std::int64_t channels) {
    return add(name, Kind::Linear, {x}, {1, shape(x).w, channels});
  }
  int sum(const std::string& name, int a, int b) { return add(name, Kind::Add, {a, b}, shape(a)); }
  int embedding(bool positions) {
    const int x = add("embedding", Kind::Embedding, {0}, {1, network_.input.w, sizes_.width});
    network_.layers.back().positions = positions;
    return x;
  }
  /// Squares of pixels as tokens, and a token for the class before them.
  int patches(std::int64_t side) {
    const Image grid{network_.input.h / side, network_.input.w / side, sizes_.width};
    const int x = add("patches", Kind::Conv, {0}, grid);
    network_.layers.back().kernel = network_.layers.back().stride = {side, side};
    return add("tokens", Kind::Tokens, {x}, {1, grid.h * grid.w + 1, sizes_.width});
  }

  int attention(const std::string& name, int x) {
    const int q = projected(name + "_query", x);
    const int k = cached(name + "_key", projected(name + "_key", x));
    const int v = cached(name + "_value", projected(name + "_value", x));
    int y = add(name + "_scores", Kind::Scores, {q, k}, {sizes_.heads, shape(q).w, shape(k).w});
    y = add(name + "_softmax", Kind::Softmax, y);
    y = add(name + "_context", Kind::WeightedSum, {y, v}, shape(q));
    y = add(name + "_merged", Kind::Merge, {y}, {1, shape(q).w, sizes_.width});
    return linear(name + "_output", y, sizes_.width);
  }
  int mlp(const std::string& name, int x) {
    x = linear(name + "_in", x, sizes_.inner);
    return linear(name + "_out", add(name + "_gelu", Kind::Gelu, x), sizes_.width);
  }
  /// Layer norms before attention and MLP, whose results are added to what came in.
  int block_of_normalised(const std::string& name, int x) {
    x = sum(name + "_attended", x, attention(name, add(name + "_norm1", Kind::LayerNorm, x)));
    return sum(name + "_sum", x, mlp(name + "_mlp", add(name + "_norm2", Kind::LayerNorm, x)));
  }
  /// Layer norms behind both sums.
  int block_then_normalised(const std::string& name, int x) {
    x = add(name + "_norm1", Kind::LayerNorm, sum(name + "_attended", x, attention(name, x)));
    return add(name + "_norm2", Kind::LayerNorm, sum(name + "_sum", x, mlp(name + "_mlp", x)));
  }
  int first_token(int x) { return add("first_token", Kind::FirstToken, {x}, {1, 1, shape(x).c}); }
  Network take() { return std::move(network_); }

 private:
  Image shape(int value) const {
    return value == 0 ? network_.input : network_.layers[static_cast<std::size_t>(value) - 1].out;
  }
  int projected(const std::string& name, int x) {
    const Image heads{sizes_.heads, shape(x).w, sizes_.width / sizes_.heads};
    const int all = linear(name, x, sizes_.width);
    network_.layers.back().symmetric = true;
    return add(name + "_heads", Kind::Heads, {all}, heads);
  }
  int cached(const std::string& name, int x) {
    if (sizes_.cached == 0) return x;
    Image all = shape(x);
    all.w += sizes_.cached;
    return add(name + "_cache", Kind::Append, {x}, all);
  }

  Network network_;
  Sizes sizes_;
};

std::string numbered(const std::string& word, int number) { return word + std::to_string(number); }

/// DeiT (Touvron et al., 2021), table 1: a vision transformer over squares of 16 x 16 pixels.
Network deit_tiny() {
  TokenBuilder b({"deit_tiny",
                  "DeiT-tiny, 224x224x3, 12 blocks of 192, 3 heads, 1000 classes",
                  {224, 224, 3},
                  -2.1179,
                  2.64,
                  2,
                  {}},
                 {192, 3, 768});
  int x = b.patches(16);
  for (int block = 0; block < 12; ++block) x = b.block_of_normalised(numbered("block", block), x);
  b.linear("head", b.first_token(b.add("norm", Kind::LayerNorm, x)), 1000);
  return b.take();
}

/// BERT of 2 layers (Turc et al., 2019) over 128 tokens that are all there: no mask, no types of tokens.
Network bert_tiny() {
  TokenBuilder b({"bert_tiny",
                  "BERT-tiny, 128 tokens, 2 blocks of 128, 2 heads, 2 classes",
                  {1, 128, 1},
                  0,
                  1,
                  16,
                  {},
                  30522},
                 {128, 2, 512});
  int x = b.add("embedding_norm", Kind::LayerNorm, b.embedding(true));
  for (int block = 0; block < 2; ++block) x = b.block_then_normalised(numbered("block", block), x);
  x = b.add("pooler_tanh", Kind::Tanh, b.linear("pooler", b.first_token(x), 128));
  b.linear("classifier", x, 2);
  return b.take();
}

/// One step of a decoder without positions: keys and values of the 127 tokens before are inputs, those for
/// the next step outputs.
Network decoder_step() {
  TokenBuilder b({"decoder_step",
                  "Step of a decoder, 4 blocks of 256, 4 heads, cache of 127 tokens, 1000 words",
                  {1, 1, 1},
                  0,
                  1,
                  32,
                  {},
                  1000},
                 {256, 4, 1024, 127});
  int x = b.embedding(false);
  for (int block = 0; block < 4; ++block) x = b.block_of_normalised(numbered("block", block), x);
  b.linear("words", b.add("norm", Kind::LayerNorm, x), 1000);
  return b.take();
}

}  // namespace

std::vector<Network> token_networks() { return {bert_tiny(), decoder_step(), deit_tiny()}; }

}  // namespace vdla::zoo
