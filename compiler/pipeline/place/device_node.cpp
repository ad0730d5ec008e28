// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/device_node.h"

#include <fmt/format.h>

#include <set>

#include "compiler/pipeline/device/layout.h"
#include "support/overloaded.h"

namespace vdla::pipeline {

namespace {

using graph::Graph;
using graph::Node;
using graph::Shape;
using Result = std::variant<DeviceNode, WhyNot>;

device::Window window(graph::Hw kernel, graph::Hw stride, graph::Hw dilation, const graph::Pads& pads) {
  return {kernel.h, kernel.w, stride.h, stride.w, dilation.h, dilation.w, pads.top, pads.left};
}

/// The constant's elements, shared with the graph.
template <class T>
device::SharedValues<T> values_of(const graph::Tensor& tensor) {
  return {tensor.data, tensor.values<T>()};
}

device::SharedValues<std::int8_t> weights_of(const Graph& g, const Node& node) {
  return values_of<std::int8_t>(g.tensor(node.inputs.at(1)));
}

device::SharedValues<std::int32_t> bias_of(const Graph& g, const Node& node) {
  if (node.inputs.size() < 3 || node.inputs[2] == graph::kNone) return {};
  return values_of<std::int32_t>(g.tensor(node.inputs[2]));
}

/// Translates one node, by operator.
class Translator {
 public:
  Translator(const Graph& g, const Node& node) : g_(g), node_(node) {}

  Result operator()(const graph::Conv2d& op) const {
    if (auto no = weighted_image()) return *no;
    device::Conv2d d;
    fill(d, op);
    d.groups = op.groups;
    d.filler = op.filler;
    return DeviceNode{std::move(d), {node_.inputs[0]}};
  }
  Result operator()(const graph::DepthwiseConv2d& op) const {
    if (auto no = weighted_image()) return *no;
    device::DepthwiseConv2d d;
    fill(d, op);
    return DeviceNode{std::move(d), {node_.inputs[0]}};
  }
  Result operator()(const graph::FullyConnected& op) const {
    if (auto no = constant_weights()) return *no;
    const Shape &x = in().shape, &w = g_.tensor(node_.inputs[1]).shape;
    const std::int64_t rows = graph::element_count(x) / w[1];
    if (rows == 1)
      if (const auto image = flattened_image()) return flattened(op, *image, w);
    device::Conv2d d = device::dense(node_.name, rows, w[1], w[0], weights_of(g_, node_), bias_of(g_, node_),
                                     op.input_zero_point, op.weight_zero_point, op.out);
    return DeviceNode{std::move(d), {node_.inputs[0]}};
  }
  Result operator()(const graph::BatchMatMul&) const {
    return WhyNot{"its second operand is not packed into entries"};
  }
  Result operator()(const graph::PackedMatMul& op) const {
    return DeviceNode{product(op.product, in().shape, op.columns, op.batch), node_.inputs};
  }
  /// Of the node packed.
  device::MatMul product(const graph::BatchMatMul& op) const {
    Shape a = in().shape, b = g_.tensor(node_.inputs[1]).shape;
    if (op.transpose_a) std::swap(a[a.size() - 1], a[a.size() - 2]);
    return product(op, a, b[b.size() - (op.transpose_b ? 2 : 1)], Shape(b.begin(), b.end() - 2));
  }
  Result operator()(const graph::Add& op) const {
    if (auto no = different_shapes()) return *no;
    return DeviceNode{device::Add{node_.name, image_of(out().shape), op.left_shift, op.a_zero_point,
                                  op.b_zero_point, op.a, op.b, op.out},
                      {node_.inputs[0], node_.inputs[1]}};
  }
  Result operator()(const graph::Maximum&) const { return extremum(false); }
  Result operator()(const graph::Minimum&) const { return extremum(true); }
  Result operator()(const graph::MaxPool2d& op) const {
    if (auto no = images()) return *no;
    return DeviceNode{device::MaxPool2d{node_.name, one_of(in().shape), one_of(out().shape), count(),
                                        window(op.kernel, op.stride, {}, op.pads), op.min, op.max},
                      {node_.inputs[0]}};
  }
  Result operator()(const graph::AvgPool2d& op) const {
    if (auto no = images()) return *no;
    return DeviceNode{device::AvgPool2d{node_.name, one_of(in().shape), one_of(out().shape), count(),
                                        window(op.kernel, op.stride, {}, op.pads), op.offset, op.min, op.max},
                      {node_.inputs[0]}};
  }
  Result operator()(const graph::SumPool2d& op) const {
    if (auto no = images()) return *no;
    return DeviceNode{
        device::SumPool2d{node_.name, one_of(in().shape), one_of(out().shape), count(),
                          window(op.kernel, op.stride, {}, op.pads), op.input_zero_point, op.out},
        {node_.inputs[0]}};
  }
  /// A mean over height and width is a sum over one window of the image's size.
  Result operator()(const graph::Mean& op) const {
    const Shape& x = in().shape;
    std::set<int> axes;
    for (int a : op.axes) axes.insert(a < 0 ? a + static_cast<int>(x.size()) : a);
    if (x.size() != 4 || axes != std::set<int>{1, 2})
      return WhyNot{"its mean is not over height and width of images"};
    const device::Image image = one_of(x);
    return DeviceNode{device::SumPool2d{node_.name,
                                        image,
                                        {1, 1, image.c},
                                        count(),
                                        window({x[1], x[2]}, {}, {}, {}),
                                        op.input_zero_point,
                                        op.out},
                      {node_.inputs[0]}};
  }
  Result operator()(const graph::Pad& op) const {
    if (auto no = images()) return *no;
    if (op.before[0] + op.after[0] + op.before[3] + op.after[3] != 0)
      return WhyNot{"it pads images or channels, the device pads rows and columns"};
    return DeviceNode{device::Move{node_.name, one_of(in().shape), one_of(out().shape), count(), op.before[1],
                                   op.before[2], op.value},
                      {node_.inputs[0]}};
  }
  Result operator()(const graph::Concat& op) const {
    const Shape& shape = out().shape;
    const std::size_t rank = shape.size();
    const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + static_cast<int>(rank) : op.axis);
    device::Concat d{node_.name, {}, axis + 1 != rank};
    for (graph::TensorId id : node_.inputs) {
      if (g_.tensor(id).type != graph::DataType::Int8)
        return WhyNot{"it joins " + std::string(name_of(g_.tensor(id).type)) + ", the device moves int8"};
      d.inputs.push_back(image_of(g_.tensor(id).shape));
    }
    // Rows follow each other in memory where nothing is in front of them.
    const Shape front(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
    if (d.rows && (graph::element_count(front) != 1 || (rank > 2 && axis + 2 == rank)))
      return WhyNot{
          fmt::format("it joins along dimension {} of {}, the device joins channels, or rows of one image",
                      axis, graph::to_string(shape))};
    return DeviceNode{std::move(d), node_.inputs};
  }
  Result operator()(const graph::Requantize& op) const {
    return DeviceNode{device::Requantize{node_.name, image_of(in().shape), op.input_zero_point, op.out},
                      {node_.inputs[0]}};
  }
  template <class Op>
  Result operator()(const Op&) const {
    return WhyNot{"the device has no instruction for " + std::string(graph::name_of(node_.op))};
  }

 private:
  const graph::Tensor& in() const { return g_.tensor(node_.inputs.at(0)); }
  const graph::Tensor& out() const { return g_.tensor(node_.output); }

  /// Which of the matrices of `batch` each result of `out` takes.
  static std::vector<std::int64_t> matrices_of(const Shape& out, const Shape& batch) {
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < graph::element_count(out); ++i) {
      std::int64_t rest = i, matrix = 0, step = 1;
      for (std::size_t d = 1; d <= batch.size(); ++d) {
        const std::int64_t extent = batch[batch.size() - d], all = out[out.size() - d];
        matrix += extent == 1 ? 0 : rest % all * step;
        step *= extent;
        rest /= all;
      }
      result.push_back(matrix);
    }
    return result;
  }
  /// `a` ends with the rows and the terms of a sum, `batch` is of the second operand.
  device::MatMul product(const graph::BatchMatMul& op, const Shape& a, std::int64_t columns,
                         const Shape& batch) const {
    const Shape results(out().shape.begin(), out().shape.end() - 2);
    return {node_.name,
            {1, a[a.size() - 2], a.back()},
            columns,
            matrices_of(results, Shape(a.begin(), a.end() - 2)),
            matrices_of(results, batch),
            op.b_zero_point,
            op.out};
  }
  std::optional<WhyNot> different_shapes() const {
    if (g_.tensor(node_.inputs[0]).shape == g_.tensor(node_.inputs[1]).shape) return std::nullopt;
    return WhyNot{"its inputs have different shapes (broadcast), the device takes equal ones"};
  }
  Result extremum(bool smaller) const {
    if (auto no = different_shapes()) return *no;
    return DeviceNode{device::Extremum{node_.name, image_of(out().shape), smaller},
                      {node_.inputs[0], node_.inputs[1]}};
  }
  std::optional<WhyNot> images() const {
    if (in().shape.size() == 4) return std::nullopt;
    return WhyNot{"its input " + graph::to_string(in().shape) + " is no image (NHWC)"};
  }
  /// One of the images of a tensor.
  static device::Image one_of(const Shape& shape) { return {shape[1], shape[2], shape[3]}; }
  std::int64_t count() const { return in().shape[0]; }
  std::optional<WhyNot> constant_weights() const {
    if (!g_.tensor(node_.inputs.at(1)).constant()) return WhyNot{"its weights are not constant"};
    if (node_.inputs.size() > 2 && node_.inputs[2] != graph::kNone && !g_.tensor(node_.inputs[2]).constant())
      return WhyNot{"its bias is not constant"};
    return std::nullopt;
  }
  std::optional<WhyNot> weighted_image() const {
    if (auto no = images()) return no;
    return constant_weights();
  }
  template <class DeviceConvolution, class Convolution>
  void fill(DeviceConvolution& d, const Convolution& op) const {
    const Shape& w = g_.tensor(node_.inputs[1]).shape;
    d.name = node_.name;
    d.in = one_of(in().shape);
    d.out = one_of(out().shape);
    d.images = count();
    d.window = window({w[1], w[2]}, op.stride, op.dilation, op.pads);
    d.weights = weights_of(g_, node_);
    d.bias = bias_of(g_, node_);
    d.input_zero = op.input_zero_point;
    d.weight_zero = op.weight_zero_point;
    d.stage = op.out;
  }
  /// The image of one batch that a reshape in front flattens to one row.
  std::optional<graph::TensorId> flattened_image() const {
    for (const Node& n : g_.nodes) {
      if (n.output != node_.inputs[0] || !std::holds_alternative<graph::Reshape>(n.op)) continue;
      const Shape& image = g_.tensor(n.inputs[0]).shape;
      if (image.size() == 4 && image[0] == 1) return n.inputs[0];
    }
    return std::nullopt;
  }
  Result flattened(const graph::FullyConnected& op, graph::TensorId image, const Shape& w) const {
    device::Conv2d d;
    d.name = node_.name;
    d.in = image_of(g_.tensor(image).shape);
    d.out = {1, 1, w[0]};
    d.window.kernel_h = d.in.h;
    d.window.kernel_w = d.in.w;
    d.weights = weights_of(g_, node_);
    d.bias = bias_of(g_, node_);
    d.input_zero = op.input_zero_point;
    d.weight_zero = op.weight_zero_point;
    d.stage = op.out;
    return DeviceNode{std::move(d), {image}};
  }

  const Graph& g_;
  const Node& node_;
};

}  // namespace

device::Image image_of(const Shape& shape) {
  device::Image image;
  const std::size_t rank = shape.size();
  if (rank > 0) image.c = shape[rank - 1];
  if (rank == 2) image.h = shape[0];
  if (rank > 2) image.w = shape[rank - 2];
  for (std::size_t d = 0; rank > 2 && d < rank - 2; ++d) image.h *= shape[d];
  return image;
}

device::Image image_of(const graph::Tensor& tensor) {
  device::Image image = image_of(tensor.shape);
  image.c *= static_cast<std::int64_t>(bytes_of(tensor.type));
  return image;
}

bool keeps_device_layout(const Shape& from, const Shape& to, const isa::Geometry& geometry) {
  const device::Image a = image_of(from), b = image_of(to);
  const std::int64_t block = device::channel_block(geometry);
  return (a.c == b.c && a.h * a.w == b.h * b.w) || (a.c % block == 0 && b.c % block == 0);
}

std::optional<std::string> why_not_packed(const Graph& graph, const Node& node,
                                          const isa::Geometry& geometry) {
  return device::unsupported(Translator(graph, node).product(std::get<graph::BatchMatMul>(node.op)),
                             geometry);
}

Result device_node(const Graph& graph, const Node& node, const isa::Geometry& geometry) {
  for (graph::TensorId id : node.inputs)
    if (id != graph::kNone && expr::is_float(dtype_of(graph.tensor(id).type)))
      return WhyNot{"it reads " + std::string(name_of(graph.tensor(id).type)) + ", the device computes int8"};
  if (std::holds_alternative<graph::BatchMatMul>(node.op))
    if (const auto why = why_not_packed(graph, node, geometry)) return WhyNot{*why};
  Result result = std::visit(Translator(graph, node), node.op);
  if (const auto* ok = std::get_if<DeviceNode>(&result))
    if (const auto why = device::unsupported(ok->op, geometry)) return WhyNot{*why};
  return result;
}

}  // namespace vdla::pipeline
