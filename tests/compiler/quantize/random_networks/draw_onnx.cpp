// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/quantize/random_networks/draw.h"

namespace vdla::random_networks {
namespace {

using graph::Shape;

constexpr std::size_t kSamplesOfOnnx = 8;
constexpr double kRangeOfInput = 2;

Network finished(OnnxSketch& s, const Shape& input) {
  Network network;
  network.is_onnx = true;
  network.drawn.op = "network";
  network.drawn.model = s.finish();
  for (std::size_t i = 0; i < kSamplesOfOnnx; ++i) {
    std::vector<float> values(static_cast<std::size_t>(graph::element_count(input)));
    for (float& v : values) v = static_cast<float>(s.random().between(-kRangeOfInput, kRangeOfInput));
    network.samples.push_back(*graph::to_bytes(values));
  }
  return network;
}

/// A 1x1 convolution.
void add_conv(OnnxSketch& s, std::int64_t out) {
  const Shape x = s.shape();
  const std::string w = s.weights({out, x[1], 1, 1}, x[1]);
  s.add("Conv", {s.x().name, w, s.reals({out}, -0.3, 0.3)}, {x[0], out, x[2], x[3]});
}

}  // namespace

Network draw_onnx(std::uint64_t seed) {
  random_graphs::Random extents(seed ^ 0x5eed);
  const Shape input = {1, extents.between(std::int64_t{1}, std::int64_t{6}),
                       extents.between(std::int64_t{5}, std::int64_t{12}),
                       extents.between(std::int64_t{5}, std::int64_t{12})};
  OnnxSketch s(seed, input);
  add_conv(s, 4 * s.number(1, 2));
  const std::int64_t layers = s.number(2, 7);
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto rows = onnx_rows();
    const OnnxRow& row =
        rows[static_cast<std::size_t>(s.random().below(static_cast<std::int64_t>(rows.size())))];
    if (!row.fits(s.shape()) || graph::element_count(s.shape()) > 4000) {
      add_conv(s, 4);
      continue;
    }
    row.add(s);
    if (s.random().chance(0.3)) add_conv(s, 4 * s.number(1, 2));
  }
  add_conv(s, s.number(2, 6));
  return finished(s, input);
}

Network draw_onnx(const OnnxRow& row, std::uint64_t seed) {
  const Shape input = {1, 3, 8, 8};
  OnnxSketch s(seed, input);
  add_conv(s, 4);
  row.add(s);
  add_conv(s, 5);
  return finished(s, input);
}

}  // namespace vdla::random_networks
