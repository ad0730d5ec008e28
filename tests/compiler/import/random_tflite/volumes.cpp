// SPDX-License-Identifier: Apache-2.0
// Convolutions over three dimensions.
#include <algorithm>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

using import::tflite::BuiltinOptions;
using import::tflite::Padding;

/// Extents, window and result of one dimension.
struct Axis {
  std::int64_t in, kernel, out;
  int stride, dilation = 1;
};

flatbuffers::Offset<import::tflite::Conv3dOptions> options(Sketch& s, Padding padding,
                                                           const std::vector<Axis>& a) {
  return import::tflite::CreateConv3dOptions(s.file.builder(), padding, a[0].stride, a[2].stride, a[1].stride,
                                             activation(s), a[0].dilation, a[2].dilation, a[1].dilation);
}

Shape volume(std::int64_t batch, const std::vector<Axis>& axes, std::int64_t Axis::* extent,
             std::int64_t channels) {
  return {batch, axes[0].*extent, axes[1].*extent, axes[2].*extent, channels};
}

void conv_3d(Sketch& s, int code) {
  const Padding padding = s.random.chance(0.5) ? Padding::SAME : Padding::VALID;
  const bool dilates = s.random.chance(0.3);
  std::vector<Axis> axes;
  for (int d = 0; d < 3; ++d) {
    Axis a{s.random.between(std::int64_t{1}, std::int64_t{5}), 0, 0,
           dilates ? 1 : static_cast<int>(s.random.between(std::int64_t{1}, std::int64_t{2}))};
    a.kernel = s.random.between(std::int64_t{1}, std::min<std::int64_t>(3, a.in));
    // TensorFlow Lite has too little memory for windows that are dilated along other dimensions alone.
    if (dilates && a.kernel > 1 && 2 * a.kernel - 1 <= a.in && (d == 0 || axes[0].dilation > 1))
      a.dilation = 2;
    const std::int64_t span = (a.kernel - 1) * a.dilation + 1;
    a.out = padding == Padding::SAME ? (a.in + a.stride - 1) / a.stride : (a.in - span) / a.stride + 1;
    axes.push_back(a);
  }
  const std::int64_t batch = s.random.between(std::int64_t{1}, std::int64_t{2}),
                     channels = s.random.between(std::int64_t{1}, std::int64_t{3}),
                     outputs = s.random.between(std::int64_t{1}, std::int64_t{4});
  s.drawn.slack = 1e-6;  // sums may cancel
  const int x = s.input(kFloat, volume(batch, axes, &Axis::in, channels));
  const Shape of_weights{axes[0].kernel, axes[1].kernel, axes[2].kernel, channels, outputs};
  Ints inputs = {x, s.operand(kFloat, of_weights, -1, 1)};
  if (s.random.chance(0.7)) inputs.push_back(s.operand(kFloat, {outputs}));
  s.output(kFloat, volume(batch, axes, &Axis::out, outputs));
  s.finish(code, BuiltinOptions::Conv3dOptions, options(s, padding, axes), inputs);
}

/// TensorFlow Lite cuts wrong elements at the front of the first dimension, and takes a bias of as many
/// elements as the data have channels alone.
void conv_3d_transpose(Sketch& s, int code) {
  const Padding padding = s.random.chance(0.5) ? Padding::SAME : Padding::VALID;
  std::vector<Axis> axes;
  for (int d = 0; d < 3; ++d) {
    Axis a{s.random.between(std::int64_t{1}, std::int64_t{3}),
           s.random.between(std::int64_t{1}, std::int64_t{3}), 0,
           static_cast<int>(s.random.between(std::int64_t{1}, std::int64_t{2}))};
    if (d == 0 && padding == Padding::SAME) a.kernel = std::min<std::int64_t>(a.kernel, a.stride + 1);
    a.out = padding == Padding::SAME ? a.in * a.stride : (a.in - 1) * a.stride + a.kernel;
    axes.push_back(a);
  }
  const std::int64_t batch = s.random.between(std::int64_t{1}, std::int64_t{2}),
                     channels = s.random.between(std::int64_t{1}, std::int64_t{3}),
                     outputs = s.random.between(std::int64_t{1}, std::int64_t{4});
  s.drawn.slack = 1e-6;  // sums may cancel
  const Shape out = volume(batch, axes, &Axis::out, outputs);
  const int extents = s.numbers(out);
  const int w = s.operand(kFloat, {axes[0].kernel, axes[1].kernel, axes[2].kernel, outputs, channels}, -1, 1);
  Ints inputs = {extents, w, s.input(kFloat, volume(batch, axes, &Axis::in, channels))};
  if (outputs == channels) inputs.push_back(s.operand(kFloat, {outputs}));
  s.output(kFloat, out);
  s.finish(code, BuiltinOptions::Conv3dOptions, options(s, padding, axes), inputs);
}

}  // namespace

std::vector<Row> volume_rows() {
  return {{"CONV_3D", 132, conv_3d}, {"CONV_3D_TRANSPOSE", 141, conv_3d_transpose}};
}

}  // namespace vdla::random_tflite
