// SPDX-License-Identifier: Apache-2.0
// Reals are rounded to float32 where a product would meet a sum, and where a function of the C library may
// end in another bit.
#include "compiler/zoo/tokens.h"

#include <algorithm>
#include <cmath>

#include "support/error.h"

namespace vdla::zoo {
namespace {

constexpr double kEmbedding = 0.5;    // deviation of tables
constexpr double kCacheSpread = 0.4;  // deviation of cached elements, of 128 steps

double rounded(double value) { return static_cast<double>(static_cast<float>(value)); }

std::vector<float> normal(std::int64_t count, double deviation, Random& random) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random.normal() * deviation));
  return values;
}

std::vector<float> uniform(std::int64_t count, double low, double high, Random& random) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random.uniform(low, high)));
  return values;
}

double value_of(const Batch& b, std::size_t i) { return b.scale * (b.data[i] - b.zero_point); }

/// Calls visit(first element, elements) for each row of channels.
template <class Visit>
void for_each_row(const Batch& in, Visit&& visit) {
  const auto channels = static_cast<std::size_t>(in.shape.c);
  for (std::size_t first = 0; first < in.data.size(); first += channels) visit(first, channels);
}

std::vector<double> softmax(const Batch& in) {
  std::vector<double> result;
  result.reserve(in.data.size());
  for_each_row(in, [&](std::size_t first, std::size_t channels) {
    const auto row = in.data.begin() + static_cast<std::ptrdiff_t>(first);
    const int largest = *std::max_element(row, row + static_cast<std::ptrdiff_t>(channels));
    double sum = 0;
    for (std::size_t i = first; i < first + channels; ++i) {
      result.push_back(rounded(std::exp(in.scale * (in.data[i] - largest))));
      sum += result.back();
    }
    for (std::size_t i = first; i < first + channels; ++i) result[i] = result[i] / sum;
  });
  return result;
}

std::vector<double> layer_norm(const Batch& in, const TokenConstants& constants) {
  std::vector<double> result;
  result.reserve(in.data.size());
  for_each_row(in, [&](std::size_t first, std::size_t channels) {
    std::int64_t sum = 0, squares = 0;
    for (std::size_t i = first; i < first + channels; ++i) {
      sum += in.data[i];
      squares += std::int64_t{in.data[i]} * in.data[i];
    }
    const auto count = static_cast<std::int64_t>(channels);
    const double spread = static_cast<double>(count * squares - sum * sum) * (in.scale * in.scale);
    const double variance = spread / static_cast<double>(count * count);
    const double factor = in.scale / (static_cast<double>(count) *
                                      std::sqrt(variance + static_cast<double>(kLayerNormEpsilon)));
    for (std::size_t i = 0; i < channels; ++i) {
      const double normal = factor * static_cast<double>(count * in.data[first + i] - sum);
      result.push_back(rounded(normal * static_cast<double>(constants.rows[i])) +
                       static_cast<double>(constants.positions[i]));
    }
  });
  return result;
}

std::vector<double> in_tokens(const Layer& layer, const Batch& in, const TokenConstants& constants) {
  std::vector<double> result;
  const auto all = static_cast<std::size_t>(layer.out.count()), channels = constants.rows.size();
  const auto pixels = static_cast<std::size_t>(in.shape.count());
  for (std::size_t first = 0; first < in.data.size(); first += pixels)
    for (std::size_t i = 0; i < all; ++i) {
      const double token =
          i < channels ? static_cast<double>(constants.rows[i]) : rounded(value_of(in, first + i - channels));
      result.push_back(token + static_cast<double>(constants.positions[i]));
    }
  return result;
}

template <class Function>
std::vector<double> each(const Batch& in, Function&& function) {
  std::vector<double> result;
  result.reserve(in.data.size());
  for (std::size_t i = 0; i < in.data.size(); ++i) result.push_back(rounded(function(value_of(in, i))));
  return result;
}

}  // namespace

TokenConstants token_constants(const Layer& layer, std::int64_t vocabulary, Random& random) {
  const Image& out = layer.out;
  if (layer.kind == Kind::LayerNorm)
    return {uniform(out.c, 0.5, 1.5, random), uniform(out.c, -0.2, 0.2, random)};
  if (layer.kind == Kind::Tokens)
    return {normal(out.c, kEmbedding, random), normal(out.count(), kEmbedding, random)};
  if (layer.kind == Kind::Embedding)
    return {normal(vocabulary * out.c, kEmbedding, random),
            layer.positions ? normal(out.count(), kEmbedding, random) : std::vector<float>{}};
  return {};
}

std::vector<std::int64_t> sample_tokens(std::int64_t count, std::int64_t vocabulary, Random& random) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t i = 0; i < count; ++i)
    tokens.push_back(std::min(vocabulary - 1,
                              static_cast<std::int64_t>(random.uniform(0, static_cast<double>(vocabulary)))));
  return tokens;
}

std::vector<std::int8_t> sample_cache(std::int64_t count, Random& random) {
  std::vector<std::int8_t> elements;
  for (std::int64_t i = 0; i < count; ++i)
    elements.push_back(static_cast<std::int8_t>(
        std::clamp(std::nearbyint(random.normal() * (kCacheSpread * 128)), -128.0, 127.0)));
  return elements;
}

std::vector<double> embed(const Layer& layer, std::span<const std::int64_t> tokens,
                          const TokenConstants& constants) {
  std::vector<double> result;
  const auto channels = static_cast<std::size_t>(layer.out.c);
  for (std::size_t t = 0; t < tokens.size(); ++t)
    for (std::size_t c = 0; c < channels; ++c) {
      double value = static_cast<double>(constants.rows[static_cast<std::size_t>(tokens[t]) * channels + c]);
      if (!constants.positions.empty())
        value += static_cast<double>(constants.positions[(t * channels + c) % constants.positions.size()]);
      result.push_back(value);
    }
  return result;
}

std::vector<std::int8_t> move_tokens(const Layer& layer, const Batch& in,
                                     std::span<const std::int8_t> cache) {
  const Image &x = in.shape, &y = layer.out;
  const auto samples = static_cast<std::int64_t>(in.data.size()) / x.count();
  const std::int64_t before = y.w - x.w;  // cached tokens
  std::vector<std::int8_t> result;
  for (std::int64_t n = 0; n < samples; ++n)
    for (std::int64_t h = 0; h < y.h; ++h)
      for (std::int64_t w = 0; w < y.w; ++w)
        for (std::int64_t c = 0; c < y.c; ++c) {
          if (layer.kind == Kind::Append && w < before) {
            result.push_back(cache[static_cast<std::size_t>(((n * y.h + h) * before + w) * y.c + c)]);
            continue;
          }
          std::int64_t from = 0;  // within the sample
          if (layer.kind == Kind::Append) from = (h * x.w + w - before) * x.c + c;
          if (layer.kind == Kind::Heads) from = w * x.c + h * y.c + c;
          if (layer.kind == Kind::Merge) from = (c / x.c * x.w + w) * x.c + c % x.c;
          if (layer.kind == Kind::FirstToken) from = c;
          result.push_back(in.data[static_cast<std::size_t>(n * x.count() + from)]);
        }
  return result;
}

std::vector<double> real_products(const Layer& layer, const Batch& a, const Batch& b) {
  const Image& out = layer.out;
  const bool scores = layer.kind == Kind::Scores;
  const std::int64_t terms = a.shape.c, samples = static_cast<std::int64_t>(a.data.size()) / a.shape.count();
  const double step = a.scale * b.scale / (scores ? std::sqrt(static_cast<double>(terms)) : 1);
  const std::int64_t next_term = scores ? 1 : b.shape.c, next_column = scores ? b.shape.c : 1;
  std::vector<double> result;
  for (std::int64_t matrix = 0; matrix < samples * out.h; ++matrix)
    for (std::int64_t row = 0; row < out.w; ++row) {
      const std::int8_t* x = &a.data[static_cast<std::size_t>((matrix * out.w + row) * terms)];
      const std::int8_t* y = &b.data[static_cast<std::size_t>(matrix * b.shape.w * b.shape.c)];
      std::vector<std::int32_t> sums(static_cast<std::size_t>(out.c));
      for (std::int64_t k = 0; k < terms; ++k)
        for (std::size_t column = 0; column < sums.size(); ++column)
          sums[column] += (x[k] - a.zero_point) *
                          (y[k * next_term + static_cast<std::int64_t>(column) * next_column] - b.zero_point);
      for (const std::int32_t sum : sums) result.push_back(step * sum);
    }
  return result;
}

std::vector<double> real_tokens(const Layer& layer, const Batch& in, const TokenConstants& constants) {
  switch (layer.kind) {
    case Kind::Tokens:
      return in_tokens(layer, in, constants);
    case Kind::LayerNorm:
      return layer_norm(in, constants);
    case Kind::Softmax:
      return softmax(in);
    case Kind::Gelu:
      return each(in, [](double x) { return x * 0.5 * (1 + rounded(std::erf(x * std::sqrt(0.5)))); });
    case Kind::Tanh:
      return each(in, [](double x) { return std::tanh(x); });
    case Kind::Conv:
    case Kind::Depthwise:
    case Kind::Dense:
    case Kind::Add:
    case Kind::MaxPool:
    case Kind::GlobalAveragePool:
    case Kind::Embedding:
    case Kind::Linear:
    case Kind::Heads:
    case Kind::Append:
    case Kind::Scores:
    case Kind::WeightedSum:
    case Kind::Merge:
    case Kind::FirstToken:
      break;
  }
  VDLA_CHECK(false) << layer.name << " is no layer of tokens that is computed on its own";
  return {};
}

}  // namespace vdla::zoo
