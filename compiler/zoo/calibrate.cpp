// SPDX-License-Identifier: Apache-2.0
// All sums are of integers and no product meets a sum in one expression: fused multiply-adds of some machines
// would round differently.
#include "compiler/zoo/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "compiler/zoo/accumulate.h"
#include "compiler/zoo/random.h"
#include "compiler/zoo/samples.h"
#include "support/error.h"

namespace vdla::zoo {
namespace {

constexpr double kCut = 0.0005;              // share of values beyond the range, on either side
constexpr double kDeviationOfMean = 1.2533;  // standard deviation / mean absolute deviation of a normal one

/// Random weights, rounded per channel.
struct Weights {
  std::vector<std::int8_t> values;
  std::vector<double> scale;
};

Weights random_weights(const Layer& layer, Random& random) {
  const std::int64_t fan_in = layer.fan_in();
  const double deviation = std::sqrt(1.0 / static_cast<double>(fan_in));
  Weights result;
  std::vector<double> channel(static_cast<std::size_t>(fan_in));
  for (std::int64_t o = 0; o < layer.out.c; ++o) {
    double largest = 0;
    for (double& w : channel) {
      w = random.normal() * deviation;
      largest = std::max(largest, std::abs(w));
    }
    const double scale = largest / 127;
    for (double w : channel) result.values.push_back(static_cast<std::int8_t>(std::nearbyint(w / scale)));
    result.scale.push_back(scale);
  }
  return result;
}

/// Mean and mean absolute deviation of each channel's sums.
struct Statistics {
  std::vector<std::int64_t> mean;
  std::vector<double> deviation;
};

Statistics statistics(std::span<const std::int32_t> sums, std::int64_t channels) {
  const auto stride = static_cast<std::size_t>(channels);
  const auto count = static_cast<double>(sums.size() / stride);
  std::vector<std::int64_t> total(stride, 0), apart(stride, 0);
  Statistics result;
  for (std::size_t i = 0; i < sums.size(); ++i) total[i % stride] += sums[i];
  for (std::int64_t t : total) result.mean.push_back(std::llround(static_cast<double>(t) / count));
  for (std::size_t i = 0; i < sums.size(); ++i)
    apart[i % stride] += std::abs(sums[i] - result.mean[i % stride]);
  for (std::int64_t a : apart) result.deviation.push_back(std::max(1.0, static_cast<double>(a) / count));
  return result;
}

/// Scales and biases of a layer. A convolution's are those of a batch norm with random gain and offset behind
/// it, folded; a dense layer has none.
Parameters fold(const Layer& layer, Weights weights, std::span<const std::int32_t> sums, double input_scale,
                Random& random) {
  const Statistics seen = statistics(sums, layer.out.c);
  const bool normalised = layer.kind != Kind::Dense && layer.kind != Kind::Linear;
  const auto fan_in = static_cast<std::size_t>(layer.fan_in());
  Parameters p;
  p.int_weights = std::move(weights.values);
  for (std::size_t o = 0; o < weights.scale.size(); ++o) {
    const double gain = random.uniform(0.5, 1.5), offset = random.uniform(-0.5, 0.5);
    const double step = weights.scale[o] * input_scale * kDeviationOfMean * seen.deviation[o];
    const auto scale = static_cast<float>(normalised ? weights.scale[o] * (gain / step) : weights.scale[o]);
    const auto bias_scale = static_cast<float>(static_cast<double>(scale) * input_scale);
    const std::int64_t wanted = std::llround(offset / static_cast<double>(bias_scale));
    const auto bias = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(wanted - (normalised ? seen.mean[o] : 0), INT32_MIN / 2, INT32_MAX / 2));
    p.weight_scales.push_back(scale);
    p.bias_scales.push_back(bias_scale);
    p.int_bias.push_back(bias);
    p.bias.push_back(static_cast<float>(bias) * bias_scale);
    for (std::size_t i = 0; i < fan_in; ++i)
      p.weights.push_back(static_cast<float>(p.int_weights[o * fan_in + i]) * scale);
  }
  return p;
}

/// The range that leaves out the outermost values, with zero inside.
Quantizer range(std::vector<double> values) {
  const auto cut = static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * kCut);
  std::nth_element(values.begin(), values.begin() + cut, values.end());
  const double low = std::min(0.0, values[static_cast<std::size_t>(cut)]);
  std::nth_element(values.begin(), values.end() - 1 - cut, values.end());
  const double high = std::max(0.0, *(values.end() - 1 - cut));
  const auto scale = static_cast<float>(std::max(high - low, 1e-6) / 255);
  const long zero_point = std::lround(-128 - low / static_cast<double>(scale));
  return {scale, static_cast<int>(std::clamp(zero_point, -128L, 127L))};
}

Quantizer symmetric(const Quantizer& q) {
  const int steps = std::max(127 - q.zero_point, q.zero_point + 128);
  return {static_cast<float>(static_cast<double>(q.scale) * steps / 127), 0};
}

std::vector<std::int8_t> quantise(const std::vector<double>& values, const Quantizer& q) {
  std::vector<std::int8_t> result;
  result.reserve(values.size());
  for (double v : values) {
    const double element = std::nearbyint(v / static_cast<double>(q.scale)) + q.zero_point;
    result.push_back(static_cast<std::int8_t>(std::clamp(element, -128.0, 127.0)));
  }
  return result;
}

std::vector<double> real_sums(std::span<const std::int32_t> sums, const Parameters& p) {
  std::vector<double> result;
  result.reserve(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t o = i % p.int_bias.size();
    result.push_back(static_cast<double>(std::int64_t{sums[i]} + p.int_bias[o]) *
                     static_cast<double>(p.bias_scales[o]));
  }
  return result;
}

/// Meanings of the int8 elements.
std::array<double, 256> meanings(const Batch& b) {
  std::array<double, 256> result{};
  for (int element = -128; element < 128; ++element)
    result[static_cast<std::size_t>(element + 128)] = b.scale * (element - b.zero_point);
  return result;
}

std::vector<double> real_sum(const Batch& a, const Batch& b) {
  const auto of_a = meanings(a), of_b = meanings(b);
  std::vector<double> result;
  result.reserve(a.data.size());
  for (std::size_t i = 0; i < a.data.size(); ++i)
    result.push_back(of_a[static_cast<std::size_t>(a.data[i] + 128)] +
                     of_b[static_cast<std::size_t>(b.data[i] + 128)]);
  return result;
}

std::vector<double> real_means(const Batch& in) {
  const double factor = in.scale / static_cast<double>(in.shape.h * in.shape.w);
  std::vector<double> result;
  for (std::int32_t sum : channel_sums(in)) result.push_back(sum * factor);
  return result;
}

/// Runs and parameterises one layer.
class Calibrator {
 public:
  Calibrator(const Network& network, Quantizer input, std::uint64_t seed)
      : random_(seed), vocabulary_(network.vocabulary), samples_(network.samples) {
    values_.push_back({network.input, {}, static_cast<double>(input.scale), input.zero_point});
    if (vocabulary_ != 0) {
      Random drawn(seed + 1);
      tokens_ = sample_tokens(samples_ * network.input.count(), vocabulary_, drawn);
    } else {
      values_.back().data = sample_images(network.input, samples_, seed + 1);
    }
  }

  Parameters run(const Layer& layer) {
    Parameters p;
    if (layer.kind == Kind::MaxPool || layer.moves()) return keep_scale(layer, std::move(p));
    p.constants = token_constants(layer, vocabulary_, random_);
    std::vector<double> real = reals(layer, p);
    if (layer.relu)
      for (double& v : real) v = std::max(v, 0.0);
    p.out = layer.symmetric ? symmetric(range(real)) : range(real);
    values_.push_back({layer.out, quantise(real, p.out), static_cast<double>(p.out.scale), p.out.zero_point});
    return p;
  }

 private:
  const Batch& input(const Layer& layer, std::size_t i) const {
    return values_.at(static_cast<std::size_t>(layer.inputs.at(i)));
  }

  Parameters keep_scale(const Layer& layer, Parameters p) {
    const Batch& in = input(layer, 0);
    p.out = {static_cast<float>(in.scale), in.zero_point};
    Batch out{layer.out, {}, in.scale, in.zero_point};
    if (layer.kind == Kind::MaxPool) {
      out.data = largest(layer, in);
    } else {
      const std::int64_t before = layer.kind == Kind::Append ? layer.out.w - layer.in.w : 0;
      const auto cache = sample_cache(samples_ * layer.out.h * before * layer.out.c, random_);
      out.data = move_tokens(layer, in, cache);
    }
    values_.push_back(std::move(out));
    return p;
  }

  /// Values of a layer that computes; finds weights of one that has some.
  std::vector<double> reals(const Layer& layer, Parameters& p) {
    const Batch& in = input(layer, 0);
    switch (layer.kind) {
      case Kind::Conv:
      case Kind::Depthwise:
      case Kind::Dense:
      case Kind::Linear: {
        Weights weights = random_weights(layer, random_);
        const auto sums = accumulate(layer, in, weights.values);
        p = fold(layer, std::move(weights), sums, in.scale, random_);
        return real_sums(sums, p);
      }
      case Kind::Add:
        return real_sum(in, input(layer, 1));
      case Kind::GlobalAveragePool:
        return real_means(in);
      case Kind::Embedding:
        return embed(layer, tokens_, p.constants);
      case Kind::Scores:
      case Kind::WeightedSum:
        return real_products(layer, in, input(layer, 1));
      case Kind::Tokens:
      case Kind::LayerNorm:
      case Kind::Softmax:
      case Kind::Gelu:
      case Kind::Tanh:
        return real_tokens(layer, in, p.constants);
      case Kind::MaxPool:
      case Kind::Heads:
      case Kind::Append:
      case Kind::Merge:
      case Kind::FirstToken:
        break;
    }
    VDLA_CHECK(false) << layer.name << " computes nothing: its elements keep their scale";
    return {};
  }

  Random random_;
  std::int64_t vocabulary_;
  int samples_;
  std::vector<std::int64_t> tokens_;  ///< input of a network of words
  std::vector<Batch> values_;
};

}  // namespace

Calibrated calibrate(Network network, std::uint64_t seed) {
  Calibrated result{std::move(network), range({result.network.low, result.network.high}), {}};
  Calibrator calibrator(result.network, result.input, seed);
  for (const Layer& layer : result.network.layers) result.layers.push_back(calibrator.run(layer));
  return result;
}

}  // namespace vdla::zoo
