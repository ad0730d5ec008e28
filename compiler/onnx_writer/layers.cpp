// SPDX-License-Identifier: Apache-2.0
// Layers of windows and products of matrices.
#include <algorithm>
#include <numeric>

#include "compiler/import/tensor/window.h"
#include "compiler/onnx_writer/writers.h"

namespace vdla::onnx_writer {
namespace {

using expr::Reducer;

/// Windows that cover less than the whole input have a negative padding in the graph; ONNX leaves the rest
/// out by itself.
Extents pads_of(const Extents& before, const Extents& after) {
  Extents pads;
  for (const Extents* list : {&before, &after})
    for (const std::int64_t p : *list) pads.push_back(std::max<std::int64_t>(p, 0));
  return pads;
}

bool is_real(const graph::Tensor& t) { return expr::is_float(graph::dtype_of(t.type)); }

void require_floats(Model& m, const graph::Node& node, const char* what) {
  const graph::Tensor& t = m.tensor(node.output);
  if (!is_real(t))
    m.refuse(node, std::string("is a ") + what + " of " + std::string(graph::name_of(t.type)) +
                       ", which ONNX has of floats alone");
}

template <class Op>
void set_windows(onnx::NodeProto& node, const Op& op, const Extents& kernel) {
  set_attribute(node, "kernel_shape", kernel);
  set_attribute(node, "strides", op.stride);
  set_attribute(node, "dilations", op.dilation);
  set_attribute(node, "pads", pads_of(op.before, op.after));
}

std::int64_t product(const Extents& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{1}, std::multiplies<>());
}

/// Windows over data of any rank: what comes before the windows' dimensions counts as images of one channel.
template <class Write>
void over_images(Model& m, const graph::Node& node, std::size_t spatial, const Write& write) {
  const Shape& shape = m.tensor(node.inputs[0]).shape;
  const std::string& x = m.name(node.inputs[0]);
  if (shape.size() == spatial + 2) return write(x, m.output());
  const auto lead = shape.end() - static_cast<std::ptrdiff_t>(spatial);
  Shape images = {product(Shape(shape.begin(), lead)), 1};
  images.insert(images.end(), lead, shape.end());
  const std::string flat = m.step("Reshape", {x, m.integers(images)});
  const std::string made = m.new_name("windows");
  write(flat, made);
  m.add("Reshape", {made, m.integers(m.tensor(node.output).shape)}, m.output());
}

/// Whether a constant holds what these elements broadcast to.
bool equals(const graph::Tensor& constant, const import::tensor::Value& elements) {
  const auto have = import::tensor::reals_of({constant.type, constant.shape, constant.data});
  const auto want = import::tensor::reals_of(elements);
  if (constant.shape == elements.shape) return have == want;
  const auto all_are = [](const std::vector<double>& values, double v) {
    return std::ranges::all_of(values, [&](double other) { return other == v; });
  };
  return !want.empty() && all_are(want, want[0]) && all_are(have, want[0]);
}

std::string transposed(Model& m, TensorId id) {
  const std::size_t rank = m.tensor(id).shape.size();
  Extents perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[rank - 1], perm[rank - 2]);
  const std::string result = m.step("Transpose", {m.name(id)});
  set_attribute(m.last(), "perm", perm);
  return result;
}

}  // namespace

void write_window(Model& m, const graph::Node& node, const graph::ReduceWindow& op) {
  require_floats(m, node, "reduction of windows");
  const DataType type = m.tensor(node.output).type;
  over_images(m, node, op.kernel.size(), [&](const std::string& x, const std::string& out) {
    switch (op.reducer) {
      case Reducer::Max:
        return set_windows(m.add("MaxPool", {x}, out), op, op.kernel);
      case Reducer::Min: {
        const std::string largest = m.step("MaxPool", {m.step("Neg", {x})});
        set_windows(m.last(), op, op.kernel);
        m.add("Neg", {largest}, out);
        return;
      }
      case Reducer::Sum: {
        const std::string means = m.step("AveragePool", {x});
        set_windows(m.last(), op, op.kernel);
        set_attribute(m.last(), "count_include_pad", std::int64_t{1});
        m.add("Mul", {means, m.scalar(type, static_cast<double>(product(op.kernel)))}, out);
        return;
      }
      case Reducer::Prod:
        m.refuse(node, "multiplies the elements of windows, which ONNX has no operator for");
    }
  });
}

std::optional<Padding> padding_of_average(const Model& m, const graph::Node& sum,
                                          const graph::ReduceWindow& op, TensorId divisor) {
  const graph::Tensor &x = m.tensor(sum.inputs[0]), &windows = m.tensor(sum.output);
  if (op.reducer != Reducer::Sum || !is_real(x) || x.shape.size() != op.kernel.size() + 2)
    return std::nullopt;
  import::tensor::Network constants;
  const import::tensor::Composer c(constants, "", "");
  const import::tensor::WindowAttributes a{op.kernel, op.stride, op.dilation, op.before, op.after, op.after};
  const import::tensor::Value image{x.type, x.shape, nullptr};
  for (const Padding padding : {Padding::IsLeftOut, Padding::Counts})
    if (equals(m.tensor(divisor),
               import::tensor::window_counts(c, image, windows.shape, a, padding == Padding::Counts)))
      return padding;
  return std::nullopt;
}

void write_average(Model& m, const graph::Node& sum, const graph::ReduceWindow& op, Padding padding) {
  onnx::NodeProto& node = m.add("AveragePool", {m.name(sum.inputs[0])}, m.output());
  set_windows(node, op, op.kernel);
  set_attribute(node, "count_include_pad", std::int64_t{padding == Padding::Counts ? 1 : 0});
}

void write_convolve(Model& m, const graph::Node& node, const graph::Convolve& op, TensorId bias) {
  require_floats(m, node, "convolution");
  const Shape& w = m.tensor(node.inputs[1]).shape;
  Names inputs = {m.name(node.inputs[0]), m.name(node.inputs[1])};
  if (bias != graph::kNone) inputs.push_back(m.reshaped(bias, {w[0]}));
  onnx::NodeProto& conv = m.add("Conv", inputs, m.output());
  set_windows(conv, op, Extents(w.begin() + 2, w.end()));
  set_attribute(conv, "group", op.groups);
}

void write_matmul(Model& m, const graph::Node& node, const graph::MatMul& op, TensorId bias) {
  require_floats(m, node, "product of matrices");
  const graph::Tensor &a = m.tensor(node.inputs[0]), &b = m.tensor(node.inputs[1]);
  if (b.constant() && a.shape.size() == 2 && b.shape.size() == 2 && !op.transpose_a) {
    Names inputs = {m.name(node.inputs[0]), m.name(node.inputs[1])};
    if (bias != graph::kNone) inputs.push_back(m.reshaped(bias, {m.tensor(node.output).shape[1]}));
    set_attribute(m.add("Gemm", inputs, m.output()), "transB", std::int64_t{op.transpose_b ? 1 : 0});
    return;
  }
  const std::string left = op.transpose_a ? transposed(m, node.inputs[0]) : m.name(node.inputs[0]);
  const std::string right = op.transpose_b ? transposed(m, node.inputs[1]) : m.name(node.inputs[1]);
  m.add("MatMul", {left, right}, m.output());
}

}  // namespace vdla::onnx_writer
