// SPDX-License-Identifier: Apache-2.0
// Convolutions over three dimensions, of floats. Data are N D H W C here and N C D H W in what they are
// composed of; weights are D H W I O, or D H W O I of the transposed one.
#include <fmt/format.h>

#include <tuple>

#include "compiler/graph/shape.h"
#include "compiler/import/tensor/window.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

using tensor::WindowAttributes;

/// Data and weights (input 1), of one type and 5 dimensions, and the window, whose padding is open.
struct Volume {
  Value x, w;
  WindowAttributes window;
  bool same = false;
};

Volume volume_of(const Operation& c, int data, const Conv3dOptions& o) {
  Volume v{c.floats(data), c.in(1), {}, o.padding() == Padding::SAME};
  c.require(v.w.type == v.x.type && v.x.rank() == 5 && v.w.rank() == 5 && v.w.count() > 0,
            fmt::format("has data of {} {} and weights of {} {}, needs one type and N D H W C",
                        graph::name_of(v.x.type), graph::to_string(v.x.shape), graph::name_of(v.w.type),
                        graph::to_string(v.w.shape)));
  v.window.kernel.assign(v.w.shape.begin(), v.w.shape.begin() + 3);
  v.window.stride = {o.stride_d(), o.stride_h(), o.stride_w()};
  v.window.dilation = {o.dilation_d(), o.dilation_h(), o.dilation_w()};
  constexpr std::int64_t kMost = 1 << 20;
  for (const Integers* list : {&v.window.kernel, &v.window.stride, &v.window.dilation})
    for (const std::int64_t each : *list)
      c.require(each > 0 && each <= kMost,
                fmt::format("has a stride, dilation or window of {}, needs 1 to {}", each, kMost));
  v.window.before = v.window.after = v.window.stated_after = Integers(3, 0);
  return v;
}

/// The result as N D H W O, with the bias (input i) and the activation.
void set_volume(const Operation& c, Value y, int bias, Activation activation) {
  y = c.transpose(y, {0, 2, 3, 4, 1});
  if (c.has(bias)) {
    const Value b = c.like(y, bias);
    c.require(b.shape == Shape{y.shape[4]},
              fmt::format("has a bias of {} for {} channels", graph::to_string(b.shape), y.shape[4]));
    y = c.binary(expr::BinaryOp::Add, y, b);
  }
  c.set(c.activated(y, activation));
}

void conv_3d(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_Conv3dOptions);
  Volume v = volume_of(c, 0, o);
  c.require(v.x.shape[4] == v.w.shape[3],
            fmt::format("has {} channels and weights of {}", v.x.shape[4], v.w.shape[3]));
  WindowAttributes& a = v.window;
  for (std::size_t d = 0; v.same && d < 3; ++d)
    std::tie(a.before[d], a.after[d]) =
        graph::same_padding(v.x.shape[d + 1], a.kernel[d], a.stride[d], a.dilation[d]);
  a.stated_after = a.after;
  set_volume(c,
             tensor::convolve(c, c.transpose(v.x, {0, 4, 1, 2, 3}), c.transpose(v.w, {4, 3, 0, 1, 2}), a, 1),
             2, o.activation());
}

/// Input 0 says which part of the whole result is the output.
void conv_3d_transpose(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_Conv3dOptions);
  Volume v = volume_of(c, 2, o);
  const Integers out = c.integers(0, "output shape");
  c.require(
      out.size() == 5 && out[0] == v.x.shape[0] && out[4] == v.w.shape[3] && v.x.shape[4] == v.w.shape[4],
      fmt::format("has an output of {} for data of {} and weights of {}", graph::to_string(out),
                  graph::to_string(v.x.shape), graph::to_string(v.w.shape)));
  WindowAttributes& a = v.window;
  for (std::size_t d = 0; d < 3; ++d) {
    c.require(out[d + 1] > 0 && out[d + 1] <= (1 << 28),
              fmt::format("has an output of {}", graph::to_string(out)));
    const std::int64_t full = (v.x.shape[d + 1] - 1) * a.stride[d] + (a.kernel[d] - 1) * a.dilation[d] + 1;
    if (v.same) a.before[d] = graph::same_padding(out[d + 1], a.kernel[d], a.stride[d], a.dilation[d]).first;
    a.after[d] = full - a.before[d] - out[d + 1];
  }
  set_volume(c,
             tensor::convolve_transposed(c, c.transpose(v.x, {0, 4, 1, 2, 3}),
                                         c.transpose(v.w, {4, 3, 0, 1, 2}), a, 1),
             3, o.activation());
}

constexpr Row kVolumeRows[] = {
    {"CONV_3D", conv_3d, Takes::Floats},
    {"CONV_3D_TRANSPOSE", conv_3d_transpose, Takes::Any},
};

}  // namespace

std::span<const Row> volume_rows() { return kVolumeRows; }

}  // namespace vdla::import::tflite
