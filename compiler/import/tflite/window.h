// SPDX-License-Identifier: Apache-2.0
// Windows, groups and rows of layers, whatever their elements are. Images are N H W C.
#pragma once

#include <fmt/format.h>

#include <tuple>

#include "compiler/graph/shape.h"
#include "compiler/import/tensor/window.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {

using tensor::WindowAttributes;

/// The image and its window, padding resolved.
template <class Options>
WindowAttributes window_of(const Operation& c, const Value& x, std::int64_t height, std::int64_t width,
                           const Options& o, graph::Hw dilation) {
  c.require(x.rank() == 4, fmt::format("has data of {}, needs N H W C", graph::to_string(x.shape)));
  constexpr int kMost = 1 << 20;
  for (const auto v : {static_cast<std::int64_t>(o.stride_h()), static_cast<std::int64_t>(o.stride_w()),
                       dilation.h, dilation.w, height, width})
    c.require(v > 0 && v <= kMost,
              fmt::format("has a stride, dilation or window of {}, needs 1 to {}", v, kMost));
  WindowAttributes a{
      {height, width}, {o.stride_h(), o.stride_w()}, {dilation.h, dilation.w}, {0, 0}, {0, 0}, {}};
  if (o.padding() == Padding::SAME)
    for (std::size_t d = 0; d < 2; ++d)
      std::tie(a.before[d], a.after[d]) =
          graph::same_padding(x.shape[d + 1], a.kernel[d], a.stride[d], a.dilation[d]);
  a.stated_after = a.after;
  return a;
}

/// Groups of a convolution by weights O H W I.
std::int64_t groups_of(const Operation& c, const Value& x, const Value& w);
/// Refuses weights that are not 1 H W outputs, as many or several times as many as the data has channels.
void require_depthwise(const Operation& c, const Value& x, const Value& w);

/// The window of a TRANSPOSE_CONV by weights O H W I; input 0 says what of the whole result is its output.
WindowAttributes transposed_window_of(const Operation& c, const Value& x, const Value& w);

/// The data of a dense layer as rows of the weights' depth, and its output.
struct RowsOf {
  Shape rows, out;
};
RowsOf rows_of(const Operation& c, const Value& x, const Value& w);

}  // namespace vdla::import::tflite
