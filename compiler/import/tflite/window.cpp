// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/window.h"

namespace vdla::import::tflite {

std::int64_t groups_of(const Operation& c, const Value& x, const Value& w) {
  c.require(w.shape[3] > 0 && x.shape[3] % w.shape[3] == 0,
            fmt::format("has weights {} that do not fit data {}", graph::to_string(w.shape),
                        graph::to_string(x.shape)));
  const std::int64_t groups = x.shape[3] / w.shape[3];
  c.require(groups > 0 && w.shape[0] % groups == 0,
            fmt::format("has {} output channels in {} groups", w.shape[0], groups));
  return groups;
}

void require_depthwise(const Operation& c, const Value& x, const Value& w) {
  c.require(w.shape[0] == 1 && x.shape[3] > 0 && w.shape[3] % x.shape[3] == 0,
            fmt::format("has weights {} that do not fit data {}", graph::to_string(w.shape),
                        graph::to_string(x.shape)));
}

WindowAttributes transposed_window_of(const Operation& c, const Value& x, const Value& w) {
  const auto& o = c.options(&Operator::builtin_options_as_TransposeConvOptions);
  const Shape out = c.integers(0, "output shape");
  c.require(out.size() == 4 && x.rank() == 4 && w.shape[3] == x.shape[3] && out[3] == w.shape[0],
            fmt::format("has weights {} that do not fit data {} and an output of {}",
                        graph::to_string(w.shape), graph::to_string(x.shape), graph::to_string(out)));
  const Integers kernel = {w.shape[1], w.shape[2]}, stride = {o.stride_h(), o.stride_w()};
  WindowAttributes a{kernel, stride, {1, 1}, {0, 0}, {0, 0}, {}};
  for (std::size_t d = 0; d < 2; ++d) {
    c.require(stride[d] > 0 && stride[d] <= (1 << 20), "has a stride that is not positive");
    c.require(out[d + 1] > 0 && out[d + 1] <= (1 << 28),
              fmt::format("has an output of {}", graph::to_string(out)));
    const std::int64_t full = (x.shape[d + 1] - 1) * stride[d] + kernel[d];
    if (o.padding() == Padding::SAME)
      a.before[d] = graph::same_padding(out[d + 1], kernel[d], stride[d], 1).first;
    a.after[d] = full - a.before[d] - out[d + 1];
  }
  return a;
}

/// Flattens the data, as the reference does.
RowsOf rows_of(const Operation& c, const Value& x, const Value& w) {
  const auto& o = c.options(&Operator::builtin_options_as_FullyConnectedOptions);
  c.require(o.weights_format() == 0, "has shuffled weights, needs the default format");
  c.require(w.rank() == 2 && w.shape[1] > 0 && x.count() % w.shape[1] == 0,
            fmt::format("has input {} that does not fit weights {}", graph::to_string(x.shape),
                        graph::to_string(w.shape)));
  const std::int64_t depth = w.shape[1], rows = x.count() / depth;
  RowsOf shapes{{rows, depth}, {rows, w.shape[0]}};
  if (!o.keep_num_dims()) return shapes;
  shapes.out = x.shape;
  c.require(!shapes.out.empty() && shapes.out.back() == depth,
            fmt::format("keeps the dimensions of its input {}, whose last one needs {} elements, as its "
                        "weights have",
                        graph::to_string(x.shape), depth));
  shapes.out.back() = w.shape[0];
  return shapes;
}

}  // namespace vdla::import::tflite
