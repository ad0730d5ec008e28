// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/shape.h"

#include <algorithm>
#include <set>

#include "compiler/graph/shape_inputs.h"
#include "support/dimensions.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::graph {

std::optional<std::int64_t> product_within(const Shape& shape, std::int64_t most) {
  std::int64_t product = 1;
  for (std::int64_t extent : shape) {
    if (extent < 0 || extent > most / product) return std::nullopt;
    if (extent > 0) product *= extent;
  }
  return product;
}

void require_extents(const Shape& shape, const std::string& where, std::int64_t most) {
  VDLA_CHECK_USER(shape.size() <= kMostDimensions) << where << too_many_dimensions(shape.size());
  for (std::int64_t extent : shape)
    VDLA_CHECK_USER(extent > 0) << where << "has shape " << to_string(shape) << ", needs positive extents";
  VDLA_CHECK_USER(product_within(shape, most))
      << where << "has shape " << to_string(shape) << ", needs at most " << most << " elements";
}

std::int64_t checked_count(const Shape& shape, const std::string& where) {
  for (std::int64_t extent : shape)
    VDLA_CHECK_USER(extent >= 0) << where << "has extent " << extent << " (corrupt)";
  const auto product = product_within(shape);
  VDLA_CHECK_USER(product) << where << "has shape " << to_string(shape) << ", needs at most "
                           << kLargestTensor << " elements along what is not zero";
  return std::ranges::find(shape, 0) == shape.end() ? *product : 0;
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {  // from the last dimension
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    VDLA_CHECK_USER(x == y || x == 1 || y == 1)
        << "shapes " << to_string(a) << " and " << to_string(b) << " do not broadcast";
    result[result.size() - 1 - i] = std::max(x, y);
  }
  return result;
}

namespace shapes {
namespace {

constexpr DataType kInt8 = DataType::Int8;

template <class Pool>
TensorType pool(const Pool& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = in.ranked(0, kInt8, 4).shape;
  return {kInt8, in.windows(x, op.kernel, op.stride, {}, op.pads, x[3])};
}

}  // namespace

TensorType of(const Conv2d& op, const Inputs& in) {
  in.count(2, 3);
  const Shape &x = in.ranked(0, kInt8, 4).shape, &w = in.ranked(1, kInt8, 4).shape;
  in.require(op.groups > 0 && x[3] % op.groups == 0 && w[0] % op.groups == 0 && w[3] == x[3] / op.groups,
             "weights " + to_string(w) + " (OHWI) and " + std::to_string(op.groups) + " groups do not fit " +
                 std::to_string(x[3]) + " input channels");
  in.within("a filler", op.filler, 0, w[1] * w[2] * w[3]);
  in.bias(2, w[0]);
  in.stage(op.out, w[0]);
  return {kInt8, in.windows(x, {w[1], w[2]}, op.stride, op.dilation, op.pads, w[0])};
}

TensorType of(const DepthwiseConv2d& op, const Inputs& in) {
  in.count(2, 3);
  const Shape &x = in.ranked(0, kInt8, 4).shape, &w = in.ranked(1, kInt8, 4).shape;
  in.require(w[0] == 1 && w[3] % x[3] == 0,
             "weights " + to_string(w) + " (1HWO) do not fit " + std::to_string(x[3]) + " input channels");
  in.bias(2, w[3]);
  in.stage(op.out, w[3]);
  return {kInt8, in.windows(x, {w[1], w[2]}, op.stride, op.dilation, op.pads, w[3])};
}

TensorType of(const FullyConnected& op, const Inputs& in) {
  in.count(2, 3);
  const Shape &x = in.typed(0, kInt8).shape, &w = in.ranked(1, kInt8, 2).shape;
  in.require(!x.empty() && x.back() == w[1],
             "weights " + to_string(w) + " (OI) do not fit input " + to_string(x));
  in.bias(2, w[0]);
  in.stage(op.out, w[0]);
  Shape out = x;
  out.back() = w[0];
  return {kInt8, out};
}

TensorType of(const MaxPool2d& op, const Inputs& in) { return pool(op, in); }
TensorType of(const AvgPool2d& op, const Inputs& in) { return pool(op, in); }
TensorType of(const SumPool2d& op, const Inputs& in) {
  in.stage(op.out, 1);
  return pool(op, in);
}

TensorType of(const Mean& op, const Inputs& in) {
  in.count(1, 1);
  in.stage(op.out, 1);
  const Shape& x = in.typed(0, kInt8).shape;
  std::set<int> axes;
  for (int a : op.axes)
    in.require(axes.insert(in.axis(a, x.size())).second, "names axis " + std::to_string(a) + " twice");
  Shape out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!axes.contains(static_cast<int>(i)))
      out.push_back(x[i]);
    else if (op.keep_dims)
      out.push_back(1);
  }
  return {kInt8, out};
}

TensorType of(const Bilinear& op, const Inputs& in) {
  in.count(3, 3);
  constexpr std::int64_t kMostParts = 1024;  // a sum of 8-bit elements by both weights is an int32
  in.require(op.parts > 0 && op.parts <= kMostParts,
             "has " + std::to_string(op.parts) + " parts, needs 1 to 1024");
  Shape out = in.ranked(0, kInt8, 4).shape;
  for (const std::size_t along : {1U, 2U}) {
    const Shape& places = in.ranked(along, DataType::Int32, 2).shape;
    in.require(places[1] == 3, "places " + to_string(places) + " need three numbers each");
    out[along] = places[0];
  }
  return {kInt8, out};
}

TensorType of(const Softmax&, const Inputs& in) {
  in.count(1, 1);
  in.require(!in.at(0).shape.empty(), "needs at least one dimension");
  return {kInt8, in.typed(0, kInt8).shape};
}
TensorType of(const SoftmaxFloat&, const Inputs& in) {
  in.count(1, 1);
  in.require(!in.at(0).shape.empty(), "needs at least one dimension");
  return {DataType::Float32, in.typed(0, DataType::Float32).shape};
}

TensorType of(const ArgMax& op, const Inputs& in) {
  in.count(1, 1);
  Shape out = in.typed(0, kInt8).shape;
  out.erase(out.begin() + in.axis(op.axis, out.size()));
  return {DataType::Int32, out};
}

TensorType of(const Reshape& op, const Inputs& in) {
  in.count(1, 1);
  in.require(element_count(op.shape) == element_count(in.at(0).shape),
             "cannot reshape " + to_string(in.at(0).shape) + " to " + to_string(op.shape));
  return {in.at(0).type, op.shape};
}

TensorType of(const Transpose& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = in.at(0).shape;
  std::vector<int> sorted = op.perm;
  std::sort(sorted.begin(), sorted.end());
  bool permutation = sorted.size() == x.size();
  for (std::size_t i = 0; permutation && i < sorted.size(); ++i)
    permutation = sorted[i] == static_cast<int>(i);
  in.require(permutation, "its permutation does not fit " + std::to_string(x.size()) + " dimensions");
  Shape out;
  for (int p : op.perm) out.push_back(x[static_cast<std::size_t>(p)]);
  return {in.at(0).type, out};
}

TensorType of(const Pad& op, const Inputs& in) {
  in.count(1, 1);
  Shape out = in.typed(0, kInt8).shape;
  in.require(op.before.size() == out.size() && op.after.size() == out.size(),
             "pads " + std::to_string(op.before.size()) + " dimensions of " + std::to_string(out.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const std::int64_t amount : {op.before[i], op.after[i]})
      in.within("a padding of dimension " + std::to_string(i), amount, 0, kLargestTensor);
    out[i] += op.before[i] + op.after[i];
  }
  return {kInt8, out};
}

TensorType of(const Concat& op, const Inputs& in) {
  in.count(1, in.size());
  Shape out = in.at(0).shape;
  const auto axis = static_cast<std::size_t>(in.axis(op.axis, out.size()));
  for (std::size_t i = 1; i < in.size(); ++i) {
    Shape other = in.typed(i, in.at(0).type).shape;
    in.require(other.size() == out.size(), "inputs differ in their number of dimensions");
    const std::int64_t extent = other[axis];
    other[axis] = out[axis];
    in.require(other == out, "input " + std::to_string(i) + " " + to_string(in.at(i).shape) +
                                 " does not fit " + to_string(out));
    in.require(!__builtin_add_overflow(out[axis], extent, &out[axis]), "is too large");
  }
  return {in.at(0).type, out};
}

TensorType of(const Im2col& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = in.ranked(0, kInt8, 4).shape;
  in.require(op.pad_value >= -128 && op.pad_value <= 127,
             "pads with " + std::to_string(op.pad_value) + ", needs an int8");
  Shape out = in.windows(x, op.kernel, op.stride, op.dilation, op.pads, 1);
  const std::int64_t taps = op.kernel.h * op.kernel.w;
  in.require(taps <= kLargestTensor / x[3],
             "has a kernel " + to_string(Shape{op.kernel.h, op.kernel.w}) + " over " + std::to_string(x[3]) +
                 " channels, needs at most " + std::to_string(kLargestTensor) + " elements of both");
  out[3] = taps * x[3];
  return {kInt8, out};
}

}  // namespace shapes

namespace {

TensorType type_of(const Op& op, const shapes::Inputs& in) {
  try {
    return std::visit([&](const auto& attributes) { return shapes::of(attributes, in); }, op);
  } catch (const UserError& e) {
    throw InputsDoNotFit(e.what());
  }
}

}  // namespace

TensorType infer(std::span<const Tensor> tensors, const std::string& node_name, const Op& op,
                 const std::vector<TensorId>& inputs) {
  const shapes::Inputs in(tensors, node_name, op, inputs);
  TensorType type = type_of(op, in);
  require_extents(type.shape, in.where() + "its output ");
  return type;
}

}  // namespace vdla::graph
