// SPDX-License-Identifier: Apache-2.0
// Shapes and types of the operators of tensor_op.h.
#include <algorithm>
#include <utility>

#include "compiler/graph/shape.h"
#include "compiler/graph/shape_inputs.h"

namespace vdla::graph::shapes {
namespace {

/// Most of an offset, a step, and where both lead: elements of the largest tensor, spread as far as may be.
constexpr std::int64_t kMostOfSource = kLargestTensor * kMostOfWindow;

bool is_index(DataType type) { return type == DataType::Int32 || type == DataType::Int64; }

const Tensor& indices(const Inputs& in, std::size_t i) {
  const Tensor& t = in.at(i);
  in.require(is_index(t.type), "input " + std::to_string(i) + " is " + std::string(name_of(t.type)) +
                                   ", needs int32 or int64 as indices");
  return t;
}

/// Attributes of a window with `rank` spatial dimensions.
template <class Op>
void check_window(const Op& op, const Inputs& in, std::size_t rank) {
  for (const Extents* e : {&op.stride, &op.dilation, &op.before, &op.after})
    in.require(e->size() == rank, "has " + std::to_string(e->size()) +
                                      " entries in stride, dilation or padding, needs " +
                                      std::to_string(rank));
  for (std::size_t d = 0; d < rank; ++d) {
    in.strides({op.stride[d]});
    in.dilations({op.dilation[d]});
    in.paddings({op.before[d], op.after[d]});
  }
}

/// `shape` with its last dimensions replaced by counts of windows.
template <class Op>
Shape windows(const Op& op, const Inputs& in, const Shape& x, const Extents& kernel) {
  const std::size_t lead = x.size() - kernel.size();
  Shape out(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(lead));
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    in.kernels({kernel[d]});
    out.push_back(
        window_count(x[lead + d], op.before[d] + op.after[d], kernel[d], op.stride[d], op.dilation[d]));
    in.require(out.back() > 0,
               "kernel " + to_string(kernel) + " does not fit its padded input " + to_string(x));
  }
  return out;
}

Shape folded(const Shape& x, const std::vector<int>& axes, bool keep_dims) {
  Shape out;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (std::find(axes.begin(), axes.end(), static_cast<int>(d)) == axes.end())
      out.push_back(x[d]);
    else if (keep_dims)
      out.push_back(1);
  }
  return out;
}

/// The first and the last element that the source of dimension `d` leads to, without its spread.
std::pair<std::int64_t, std::int64_t> reach_of(const Source& s, const Shape& shape, std::size_t d,
                                               const Inputs& in) {
  constexpr std::int64_t kMost = kMostOfSource;
  const auto named = [&](const char* what) { return what + (" for dimension " + std::to_string(d)); };
  in.require(s.step.size() == shape.size(), "has a source of another rank");
  in.within(named("a spread"), s.spread, 1, kMostOfWindow);
  in.within(named("an offset"), s.offset, -kMost, kMost);
  std::int64_t low = s.offset, high = s.offset;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (s.step[k] < -kMost || s.step[k] > kMost) in.within(named("a step"), s.step[k], -kMost, kMost);
    std::int64_t way = 0, &end = s.step[k] < 0 ? low : high;
    const bool counted = !__builtin_mul_overflow(s.step[k], shape[k] - 1, &way) &&
                         !__builtin_add_overflow(end, way, &end) && end >= -kMost && end <= kMost;
    if (!counted)
      in.require(false, "has " + std::to_string(shape[k]) + " elements in steps of " +
                            std::to_string(s.step[k]) + named("") + ", needs ones that lead to " +
                            std::to_string(-kMost) + " to " + std::to_string(kMost));
  }
  return {low, high};
}

}  // namespace

TensorType of(const Map& op, const Inputs& in) {
  in.count(op.arguments.size(), op.arguments.size());
  in.require(in.size() > 0, "has no input");
  Shape out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    in.require(dtype_of(in.at(i).type) == op.arguments[i]->dtype,
               "input " + std::to_string(i) + " is " + std::string(name_of(in.at(i).type)) + ", needs " +
                   std::string(expr::name(op.arguments[i]->dtype)));
    out = broadcast(out, in.at(i).shape);
  }
  return {data_type_of(op.body->dtype), out};
}

TensorType of(const Fold& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = in.at(0).shape;
  in.require(in.at(0).type != DataType::Bool, "reduces bool, needs a number");
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    in.require(op.axes[i] >= 0, "has a negative axis");
    in.axis(op.axes[i], x.size());
    in.require(i == 0 || op.axes[i] > op.axes[i - 1], "needs its axes in ascending order");
  }
  in.require(!op.axes.empty(), "has no axis to reduce");
  return {in.at(0).type, folded(x, op.axes, op.keep_dims)};
}

TensorType of(const View& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = in.at(0).shape;
  in.require(op.source.size() == x.size(),
             "has " + std::to_string(op.source.size()) + " sources, needs " + std::to_string(x.size()));
  require_extents(op.shape, in.where() + "its output ");
  for (std::size_t d = 0; d < x.size(); ++d) {
    const Source& s = op.source[d];
    const auto [low, high] = reach_of(s, op.shape, d, in);
    in.require(op.outside == Outside::Fill || s.spread == 1, "spreads elements without a value in between");
    in.require(op.outside != Outside::Never || (low >= 0 && high < x[d]),
               "reads elements " + std::to_string(low) + ".." + std::to_string(high) + " of dimension " +
                   std::to_string(d) + ", which has " + std::to_string(x[d]));
    in.require(op.outside != Outside::Reflect || (low > -x[d] && high < 2 * x[d] - 1),
               "mirrors more than dimension " + std::to_string(d) + " has");
  }
  in.require(op.outside != Outside::Fill || (op.fill && op.fill->dtype == dtype_of(in.at(0).type)),
             "fills with another type than " + std::string(name_of(in.at(0).type)));
  return {in.at(0).type, op.shape};
}

TensorType of(const Convolve& op, const Inputs& in) {
  in.count(2, 2);
  const Shape &x = in.at(0).shape, &w = in.typed(1, in.at(0).type).shape;
  in.require(
      x.size() >= 3 && w.size() == x.size(),
      "needs data N C spatial... and weights O C spatial..., has " + to_string(x) + " and " + to_string(w));
  const std::size_t rank = x.size() - 2;
  check_window(op, in, rank);
  in.require(op.groups > 0 && w[0] % op.groups == 0 && x[1] % op.groups == 0 && w[1] == x[1] / op.groups,
             "weights " + to_string(w) + " and " + std::to_string(op.groups) + " groups do not fit " +
                 std::to_string(x[1]) + " input channels");
  Shape out = windows(op, in, x, Extents(w.begin() + 2, w.end()));
  out[1] = w[0];
  return {in.at(0).type, out};
}

TensorType of(const ReduceWindow& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = in.at(0).shape;
  in.require(!op.kernel.empty() && op.kernel.size() <= x.size(),
             "has a kernel of " + std::to_string(op.kernel.size()) + " dimensions over " + to_string(x));
  check_window(op, in, op.kernel.size());
  return {in.at(0).type, windows(op, in, x, op.kernel)};
}

TensorType of(const MatMul& op, const Inputs& in) {
  in.count(2, 2);
  const DataType type = in.typed(1, in.at(0).type).type;
  return {type == DataType::Int8 ? DataType::Int32 : type, product_shape(in, op.transpose_a, op.transpose_b)};
}

TensorType of(const Gather& op, const Inputs& in) {
  in.count(2, 2);
  const Shape &x = in.at(0).shape, &i = indices(in, 1).shape;
  const int axis = in.axis(op.axis, x.size());
  Shape out(x.begin(), x.begin() + axis);
  out.insert(out.end(), i.begin(), i.end());
  out.insert(out.end(), x.begin() + axis + 1, x.end());
  return {in.at(0).type, out};
}

TensorType of(const GatherElements& op, const Inputs& in) {
  in.count(2, 2);
  const Shape &x = in.at(0).shape, &i = indices(in, 1).shape;
  const int axis = in.axis(op.axis, x.size());
  in.require(i.size() == x.size(), "indices " + to_string(i) + " do not fit data " + to_string(x));
  for (int d = 0; d < static_cast<int>(x.size()); ++d)
    in.require(d == axis || i[static_cast<std::size_t>(d)] <= x[static_cast<std::size_t>(d)],
               "indices " + to_string(i) + " do not fit data " + to_string(x));
  return {in.at(0).type, i};
}

TensorType of(const GatherNd& op, const Inputs& in) {
  in.count(2, 2);
  const Shape &x = in.at(0).shape, &i = indices(in, 1).shape;
  in.require(op.batch >= 0 && !i.empty() && op.batch < static_cast<int>(i.size()) &&
                 op.batch + i.back() <= static_cast<std::int64_t>(x.size()) &&
                 std::equal(i.begin(), i.begin() + op.batch, x.begin()),
             "indices " + to_string(i) + " with " + std::to_string(op.batch) +
                 " batch dimensions do not fit data " + to_string(x));
  Shape out(i.begin(), i.end() - 1);
  out.insert(out.end(), x.begin() + op.batch + i.back(), x.end());
  return {in.at(0).type, out};
}

TensorType of(const ScatterElements& op, const Inputs& in) {
  in.count(3, 3);
  const Shape &x = in.at(0).shape, &i = indices(in, 1).shape;
  in.axis(op.axis, x.size());
  in.require(i.size() == x.size() && in.typed(2, in.at(0).type).shape == i,
             "indices " + to_string(i) + " and updates " + to_string(in.at(2).shape) + " do not fit data " +
                 to_string(x));
  return {in.at(0).type, x};
}

TensorType of(const ScatterNd&, const Inputs& in) {
  in.count(3, 3);
  const Shape &x = in.at(0).shape, &i = indices(in, 1).shape;
  in.require(!i.empty() && i.back() <= static_cast<std::int64_t>(x.size()),
             "indices " + to_string(i) + " do not fit data " + to_string(x));
  Shape updates(i.begin(), i.end() - 1);
  updates.insert(updates.end(), x.begin() + i.back(), x.end());
  in.require(in.typed(2, in.at(0).type).shape == updates,
             "updates " + to_string(in.at(2).shape) + " do not fit, need " + to_string(updates));
  return {in.at(0).type, x};
}

TensorType of(const Locate& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = in.at(0).shape;
  return {DataType::Int64, folded(x, {in.axis(op.axis, x.size())}, op.keep_dims)};
}

TensorType of(const Cumulate& op, const Inputs& in) {
  in.count(1, 1);
  in.axis(op.axis, in.at(0).shape.size());
  in.require(in.at(0).type != DataType::Bool, "sums bool, needs a number");
  return {in.at(0).type, in.at(0).shape};
}

TensorType of(const Sort& op, const Inputs& in) {
  in.count(1, 1);
  in.axis(op.axis, in.at(0).shape.size());
  return {DataType::Int64, in.at(0).shape};
}

}  // namespace vdla::graph::shapes
