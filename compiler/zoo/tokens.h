// SPDX-License-Identifier: Apache-2.0
// Layers of tokens over a batch of calibration: sums of integers, and reals of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/zoo/accumulate.h"
#include "compiler/zoo/random.h"

namespace vdla::zoo {

constexpr float kLayerNormEpsilon = 1e-5F;

/// Constants of Embedding, Tokens and LayerNorm.
struct TokenConstants {
  std::vector<float> rows;       ///< table of words; the token of the class; factors of a layer norm
  std::vector<float> positions;  ///< a row for each position, or none; summands of a layer norm
};

TokenConstants token_constants(const Layer& layer, std::int64_t vocabulary, Random& random);

/// Numbers of tokens, `count` of them.
std::vector<std::int64_t> sample_tokens(std::int64_t count, std::int64_t vocabulary, Random& random);

/// Keys and values of earlier tokens, one tensor for each sample, as elements.
std::vector<std::int8_t> sample_cache(std::int64_t count, Random& random);

std::vector<double> embed(const Layer& layer, std::span<const std::int64_t> tokens,
                          const TokenConstants& constants);

/// Elements of a layer that moves them. Append: `cache` has the tensors in front.
std::vector<std::int8_t> move_tokens(const Layer& layer, const Batch& in, std::span<const std::int8_t> cache);

/// Scores, WeightedSum.
std::vector<double> real_products(const Layer& layer, const Batch& a, const Batch& b);

/// Tokens, LayerNorm, Softmax, Gelu, Tanh.
std::vector<double> real_tokens(const Layer& layer, const Batch& in, const TokenConstants& constants);

}  // namespace vdla::zoo
