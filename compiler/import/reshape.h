// SPDX-License-Identifier: Apache-2.0
// Attributes and inputs of ONNX's operators that move elements: decoded once, for values in the model's own
// types and for integer layers. `c` is the node, tensor::Node or integer::Context, whose require() says what
// to do with what is wrong. Private to this folder.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/shape.h"
#include "compiler/graph/types.h"

namespace vdla::import {

/// Elements of a shape that a file asks for; nothing where an extent is negative or the product overflows.
inline std::optional<std::int64_t> counted(const graph::Shape& wanted) {
  std::int64_t count = 1;
  for (const std::int64_t extent : wanted)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  return count;
}

/// Numbers of input 1; of an attribute in older operator sets.
template <class Node>
std::vector<std::int64_t> listed(const Node& c, const char* what) {
  return c.has(1) ? c.integers(1, what) : c.integers(what, std::vector<std::int64_t>{});
}

/// The shape that a Reshape gives: 0 copies an extent unless the node's `allowzero` says otherwise, one -1 is
/// what remains.
template <class Node>
graph::Shape reshaped_to(const Node& c, const graph::Shape& from) {
  graph::Shape to = listed(c, "shape");
  const bool keeps_zero = c.integer("allowzero", 0) != 0;
  graph::Shape known;
  std::optional<std::size_t> open;
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (to[d] == 0 && !keeps_zero) {
      c.require(d < from.size(), "copies dimension " + std::to_string(d) + " of " + graph::to_string(from));
      to[d] = from[d];
    }
    if (to[d] == -1)
      open = d;
    else
      known.push_back(to[d]);
  }
  const std::int64_t count = graph::element_count(from);
  if (const auto rest = counted(known); open && rest && *rest > 0) to[*open] = count / *rest;
  c.require(counted(to) == count, "cannot reshape " + graph::to_string(from) + " to " + graph::to_string(to));
  return to;
}

/// The shape that a Flatten gives.
template <class Node>
graph::Shape flattened(const Node& c, const graph::Shape& x) {
  const auto rank = static_cast<std::int64_t>(x.size()), axis = c.integer("axis");
  c.require(axis >= -rank && axis <= rank,
            fmt::format("has axis {}, needs one from {} to {}", axis, -rank, rank));
  const auto middle = x.begin() + (axis < 0 ? axis + rank : axis);
  return {graph::element_count({x.begin(), middle}), graph::element_count({middle, x.end()})};
}

/// The shape without the dimensions that a Squeeze names, or without all of extent 1.
template <class Node>
graph::Shape squeezed(const Node& c, const graph::Shape& x) {
  const std::vector<std::int64_t> axes = c.axes(listed(c, "axes"), x.size());
  graph::Shape shape;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const bool named = std::ranges::count(axes, static_cast<std::int64_t>(d)) > 0;
    c.require(!named || x[d] == 1,
              fmt::format("removes dimension {} of {}, which is not 1", d, graph::to_string(x)));
    if (axes.empty() ? x[d] != 1 : !named) shape.push_back(x[d]);
  }
  return shape;
}

/// The shape with the dimensions of extent 1 that an Unsqueeze names.
template <class Node>
graph::Shape unsqueezed(const Node& c, graph::Shape shape) {
  std::vector<std::int64_t> axes = listed(c, "axes");
  axes = c.axes(axes, shape.size() + axes.size());
  std::ranges::sort(axes);
  for (const std::int64_t a : axes) shape.insert(shape.begin() + a, 1);
  return shape;
}

/// The order that a Transpose gives the dimensions of x; without one they are reversed.
template <class Node>
std::vector<int> permutation_of(const Node& c, const graph::Shape& x) {
  std::vector<std::int64_t> in_order(x.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  const std::vector<std::int64_t> perm =
      c.integers("perm", std::vector<std::int64_t>(in_order.rbegin(), in_order.rend()));
  c.require(std::ranges::is_permutation(perm, in_order),
            fmt::format("has permutation {}, needs one of the {} dimensions of {}", graph::to_string(perm),
                        x.size(), graph::to_string(x)));
  return {perm.begin(), perm.end()};
}

/// Elements start + i * step of each dimension, `shape` of them.
struct SliceBounds {
  std::vector<std::int64_t> start, step;
  graph::Shape shape;

  /// Sets dimension d. Starts and ends count from the end where negative, and stop at the borders (ONNX,
  /// Slice-13).
  void set(std::size_t d, std::int64_t from, std::int64_t to, std::int64_t by) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;  // less cannot be added to
    const std::int64_t extent = shape[d], back = by < 0 ? 1 : 0;
    const auto place = [&](std::int64_t v) {
      return std::clamp(v < 0 ? std::max(v, -kFar) + extent : v, -back, extent - back);
    };
    const std::int64_t most = std::max<std::int64_t>(extent, 1);
    start[d] = place(from);
    step[d] = std::clamp(by, -most, most);  // a longer step leads out as this one does
    shape[d] = std::max<std::int64_t>(0, (place(to) - start[d] + step[d] - (by > 0 ? 1 : -1)) / step[d]);
  }
};

/// Returns the part that a Slice takes of a value of shape x; before operator set 10 attributes say it.
template <class Node>
SliceBounds slice_bounds(const Node& c, const graph::Shape& x) {
  const bool by_inputs = c.opset() >= 10;
  using Integers = std::vector<std::int64_t>;
  const auto list = [&](int i, const char* what, const Integers& otherwise) {
    return !by_inputs ? c.integers(what, otherwise) : c.has(i) ? c.integers(i, what) : otherwise;
  };
  const Integers starts = list(1, "starts", {}), ends = list(2, "ends", {});
  Integers axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = list(3, "axes", axes);
  const Integers steps =
      by_inputs ? list(4, "steps", Integers(starts.size(), 1)) : Integers(starts.size(), 1);
  c.require(ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
            fmt::format("has {} starts, {} ends, {} axes and {} steps, needs as many of each", starts.size(),
                        ends.size(), axes.size(), steps.size()));
  axes = c.axes(axes, x.size());
  SliceBounds bounds{Integers(x.size(), 0), Integers(x.size(), 1), x};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    c.require(steps[i] != 0, "has step 0, needs another");
    bounds.set(static_cast<std::size_t>(axes[i]), starts[i], ends[i], steps[i]);
  }
  return bounds;
}

}  // namespace vdla::import
