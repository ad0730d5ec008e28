// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/integer/window.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/graph/shape.h"
#include "compiler/graph/windows.h"

namespace vdla::import::integer {
namespace {

/// The attribute's numbers, as many as `otherwise` has, within what a window may have.
Integers sizes(const Context& c, const char* attribute, std::int64_t least, Integers otherwise) {
  const std::size_t count = otherwise.size();
  Integers v = c.integers(attribute, std::move(otherwise));
  c.require(
      v.size() == count &&
          std::ranges::all_of(v, [&](std::int64_t n) { return n >= least && n <= graph::kMostOfWindow; }),
      fmt::format("has {} [{}], needs {} from {} to {}", attribute, fmt::join(v, ", "), count, least,
                  graph::kMostOfWindow));
  return v;
}

bool are_lines(const Context& c) { return c.shape(0).size() == 3; }

graph::Hw pair(const Context& c, const char* attribute, graph::Hw otherwise) {
  if (are_lines(c)) return {1, sizes(c, attribute, 1, {otherwise.w})[0]};
  const Integers v = sizes(c, attribute, 1, {otherwise.h, otherwise.w});
  return {v[0], v[1]};
}

graph::Pads pads_of(const Context& c, const Shape& image, const Window& w) {
  const std::string automatic = c.text("auto_pad");
  if (automatic == "VALID") return {};
  if (automatic == "NOTSET") {
    const Integers pads = sizes(c, "pads", 0, Integers(are_lines(c) ? 2 : 4, 0));
    return are_lines(c) ? graph::Pads{0, 0, pads[0], pads[1]}
                        : graph::Pads{pads[0], pads[2], pads[1], pads[3]};
  }
  c.require(automatic == "SAME_UPPER" || automatic == "SAME_LOWER",
            "has auto_pad '" + automatic + "', needs NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  graph::Pads pads;
  std::tie(pads.top, pads.bottom) = graph::same_padding(image[2], w.kernel.h, w.stride.h, w.dilation.h);
  std::tie(pads.left, pads.right) = graph::same_padding(image[3], w.kernel.w, w.stride.w, w.dilation.w);
  if (automatic == "SAME_LOWER") {
    std::swap(pads.top, pads.bottom);
    std::swap(pads.left, pads.right);
  }
  return pads;
}

}  // namespace

Shape image_shape(const Context& c) {
  Shape shape = c.shape(0);
  if (are_lines(c)) shape.insert(shape.begin() + 2, 1);
  c.require(shape.size() == 4,
            "has an input of " + graph::to_string(c.shape(0)) + ", needs images (N C H W) or lines (N C W)");
  return shape;
}

Quantized images(const Context& c) {
  if (!are_lines(c)) return c.stored_as(c.quantized(0), nhwc_perm(), c.name());
  const Quantized lines = c.stored_as(c.quantized(0), {0, 2, 1}, c.name());
  return c.add(c.name() + "/image", graph::Reshape{permuted(image_shape(c), nhwc_perm())}, {lines.id},
               c.quantization(lines), nhwc_perm());
}

Quantized like_input(const Context& c, const Quantized& results) {
  if (!are_lines(c)) return results;
  Shape shape = c.graph().tensor(results.id).shape;
  shape.erase(shape.begin() + 1);
  return c.add(c.name() + "/line", graph::Reshape{shape}, {results.id}, c.quantization(results), {0, 2, 1});
}

Shape like_input(const Context& c, Shape results) {
  if (are_lines(c)) results.erase(results.begin() + 2);
  return results;
}

Window window_of(const Context& c, const Shape& image, graph::Hw kernel) {
  Window w{pair(c, "kernel_shape", kernel), pair(c, "strides", {}), pair(c, "dilations", {}), {}};
  w.pads = pads_of(c, image, w);
  return w;
}

Shape windows(const Context& c, const Shape& image, const Window& w, std::int64_t channels) {
  const std::int64_t h =
      graph::window_count(image[2], w.pads.top + w.pads.bottom, w.kernel.h, w.stride.h, w.dilation.h);
  const std::int64_t v =
      graph::window_count(image[3], w.pads.left + w.pads.right, w.kernel.w, w.stride.w, w.dilation.w);
  c.require(h > 0 && v > 0, fmt::format("has a kernel of {}x{}, needs one within its padded input of {}",
                                        w.kernel.h, w.kernel.w, graph::to_string(image)));
  return {image[0], channels, h, v};
}

}  // namespace vdla::import::integer
