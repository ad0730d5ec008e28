// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/shape.h"

#include <algorithm>
#include <set>

#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::graph {

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

std::int64_t window_count(std::int64_t extent, std::int64_t pads, std::int64_t kernel, std::int64_t stride,
                          std::int64_t dilation) {
  const std::int64_t span = extent + pads - ((kernel - 1) * dilation + 1);
  return span < 0 ? 0 : span / stride + 1;
}

std::pair<std::int64_t, std::int64_t> same_padding(std::int64_t extent, std::int64_t kernel,
                                                   std::int64_t stride, std::int64_t dilation) {
  const std::int64_t out = (extent + stride - 1) / stride;
  const std::int64_t total =
      std::max<std::int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - extent);
  return {total / 2, total - total / 2};
}

namespace {

/// The inputs of one node, with checks that name it.
class Inputs {
 public:
  Inputs(const Graph& graph, const std::string& name, const Op& op, const std::vector<TensorId>& ids)
      : graph_(graph), where_("node '" + name + "' (" + std::string(name_of(op)) + "): "), ids_(ids) {}

  void count(std::size_t least, std::size_t most) const {
    VDLA_CHECK_USER(ids_.size() >= least && ids_.size() <= most)
        << where_ << "has " << ids_.size() << " inputs, needs " << least << (most > least ? " or more" : "");
    for (std::size_t i = 0; i < least; ++i)
      VDLA_CHECK_USER(ids_[i] != kNone) << where_ << "input " << i << " is missing";
  }
  bool has(std::size_t i) const { return i < ids_.size() && ids_[i] != kNone; }
  std::size_t size() const { return ids_.size(); }
  const Tensor& at(std::size_t i) const { return graph_.tensor(ids_.at(i)); }

  const Tensor& typed(std::size_t i, DataType type) const {
    const Tensor& t = at(i);
    VDLA_CHECK_USER(t.type == type) << where_ << "input " << i << " is " << name_of(t.type) << ", needs "
                                    << name_of(type);
    return t;
  }
  const Tensor& ranked(std::size_t i, DataType type, std::size_t rank) const {
    const Tensor& t = typed(i, type);
    VDLA_CHECK_USER(t.shape.size() == rank) << where_ << "input " << i << " has shape " << to_string(t.shape)
                                            << ", needs " << rank << " dimensions";
    return t;
  }
  void require(bool ok, const std::string& what) const { VDLA_CHECK_USER(ok) << where_ << what; }

  void bias(std::size_t i, std::int64_t channels) const {
    if (!has(i)) return;
    const Tensor& b = typed(i, DataType::Int32);
    require(element_count(b.shape) == channels,
            "bias has " + to_string(b.shape) + " elements, needs " + std::to_string(channels));
  }
  void stage(const OutputStage& out, std::int64_t channels) const {
    require(out.multiplier.size() == 1 || static_cast<std::int64_t>(out.multiplier.size()) == channels,
            "has " + std::to_string(out.multiplier.size()) + " multipliers, needs 1 or " +
                std::to_string(channels));
    require(out.min <= out.max && out.min >= -128 && out.max <= 127, "clamps to " + std::to_string(out.min) +
                                                                         ".." + std::to_string(out.max) +
                                                                         ", needs a range within int8");
  }
  int axis(int a, std::size_t rank) const {
    const int wrapped = a < 0 ? a + static_cast<int>(rank) : a;
    require(wrapped >= 0 && wrapped < static_cast<int>(rank),
            "axis " + std::to_string(a) + " is outside of " + std::to_string(rank) + " dimensions");
    return wrapped;
  }
  Shape windows(const Shape& in, Hw kernel, Hw stride, Hw dilation, Pads pads, std::int64_t channels) const {
    require(stride.h > 0 && stride.w > 0 && dilation.h > 0 && dilation.w > 0 && kernel.h > 0 && kernel.w > 0,
            "kernel, stride and dilation must be positive");
    require(pads.top >= 0 && pads.bottom >= 0 && pads.left >= 0 && pads.right >= 0,
            "padding must not be negative");
    const std::int64_t h = window_count(in[1], pads.top + pads.bottom, kernel.h, stride.h, dilation.h);
    const std::int64_t w = window_count(in[2], pads.left + pads.right, kernel.w, stride.w, dilation.w);
    require(h > 0 && w > 0, "kernel " + to_string(Shape{kernel.h, kernel.w}) +
                                " is larger than its padded input " + to_string(in));
    return {in[0], h, w, channels};
  }

 private:
  const Graph& graph_;
  std::string where_;
  const std::vector<TensorId>& ids_;
};

constexpr DataType kInt8 = DataType::Int8;

TensorType of(const Conv2d& op, const Inputs& in) {
  in.count(2, 3);
  const Shape &x = in.ranked(0, kInt8, 4).shape, &w = in.ranked(1, kInt8, 4).shape;
  in.require(op.groups > 0 && x[3] % op.groups == 0 && w[0] % op.groups == 0 && w[3] * op.groups == x[3],
             "weights " + to_string(w) + " (OHWI) and " + std::to_string(op.groups) + " groups do not fit " +
                 std::to_string(x[3]) + " input channels");
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

TensorType elementwise(const Inputs& in) {
  in.count(2, 2);
  return {kInt8, broadcast(in.typed(0, kInt8).shape, in.typed(1, kInt8).shape)};
}
TensorType of(const Add& op, const Inputs& in) {
  in.stage(op.out, 1);
  return elementwise(in);
}
TensorType of(const Mul& op, const Inputs& in) {
  in.stage(op.out, 1);
  return elementwise(in);
}
TensorType of(const Maximum&, const Inputs& in) { return elementwise(in); }
TensorType of(const Minimum&, const Inputs& in) { return elementwise(in); }

template <class Pool>
TensorType pool(const Pool& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = in.ranked(0, kInt8, 4).shape;
  return {kInt8, in.windows(x, op.kernel, op.stride, {}, op.pads, x[3])};
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
  for (int a : op.axes) axes.insert(in.axis(a, x.size()));
  Shape out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!axes.contains(static_cast<int>(i)))
      out.push_back(x[i]);
    else if (op.keep_dims)
      out.push_back(1);
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

TensorType of(const Requantize& op, const Inputs& in) {
  in.count(1, 1);
  in.stage(op.out, in.at(0).shape.empty() ? 1 : in.at(0).shape.back());
  return {kInt8, in.typed(0, kInt8).shape};
}
TensorType of(const Quantize&, const Inputs& in) {
  in.count(1, 1);
  return {kInt8, in.typed(0, DataType::Float32).shape};
}
TensorType of(const Dequantize&, const Inputs& in) {
  in.count(1, 1);
  return {DataType::Float32, in.typed(0, kInt8).shape};
}
TensorType of(const Lut&, const Inputs& in) {
  in.count(1, 1);
  return {kInt8, in.typed(0, kInt8).shape};
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
    in.require(op.before[i] >= 0 && op.after[i] >= 0, "padding must not be negative");
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
    out[axis] += extent;
  }
  return {in.at(0).type, out};
}

TensorType of(const Im2col& op, const Inputs& in) {
  in.count(1, 1);
  const Shape& x = in.ranked(0, kInt8, 4).shape;
  in.require(op.pad_value >= -128 && op.pad_value <= 127,
             "pads with " + std::to_string(op.pad_value) + ", needs an int8");
  const std::int64_t elements = op.kernel.h * op.kernel.w * x[3];
  return {kInt8, in.windows(x, op.kernel, op.stride, op.dilation, op.pads, elements)};
}

}  // namespace

TensorType infer(const Graph& graph, const std::string& node_name, const Op& op,
                 const std::vector<TensorId>& inputs) {
  const Inputs in(graph, node_name, op, inputs);
  return std::visit([&](const auto& attributes) { return of(attributes, in); }, op);
}

}  // namespace vdla::graph
