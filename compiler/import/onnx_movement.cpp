// SPDX-License-Identifier: Apache-2.0
// Operators that move elements, and folding of what has constant inputs only.
#include <algorithm>

#include "compiler/graph/compose.h"
#include "compiler/graph/requant.h"
#include "compiler/import/onnx_builder.h"
#include "compiler/import/reshape.h"
#include "compiler/import/tensor/network.h"

namespace vdla::import::onnx_model {
namespace {

using tensor::kLargestConstant;

constexpr std::int64_t kMostJoined = std::int64_t{1} << 20;  ///< by Concat, which models chain

Quantized reshaped(const NodeContext& c, const Quantized& v, const graph::Shape& shape) {
  const Quantized x = c.builder().stored_as(v, identity_perm(v.perm.size()), c.name());
  if (c.graph().tensor(x.id).shape == shape) return {x.id, identity_perm(shape.size())};
  return c.builder().add(c.name(), graph::Reshape{shape}, {x.id}, c.builder().quantization(x),
                         identity_perm(shape.size()));
}

/// Reshape of whatever the input is.
void reshape_to(const NodeContext& c, const graph::Shape& shape) {
  if (const auto* input = std::get_if<FloatInput>(&c.input(0))) {
    c.require(input->perm == identity_perm(input->perm.size()),
              "reshapes the model's input after a Transpose, needs a QuantizeLinear before");
    return c.set_output(FloatInput{input->name, input->model_shape, shape, identity_perm(shape.size())});
  }
  if (const auto* constant = std::get_if<Constant>(&c.input(0))) {
    Constant result = *constant;
    c.require(graph::element_count(shape) == graph::element_count(result.shape),
              "makes a constant of " + graph::to_string(result.shape) + " one of " + graph::to_string(shape));
    c.require(!result.quantization || !result.quantization->per_channel() || shape == result.shape,
              "changes the shape of a constant that has a scale for each channel");
    result.shape = shape;
    return c.set_output(std::move(result));
  }
  if (const auto* front = std::get_if<Deferred>(&c.input(0))) {
    const auto result = [c, shape](const Quantized& v) { return reshaped(c, v, shape); };
    return c.set_output(behind(c, *front, shape, {{}, result}));
  }
  c.set_output(reshaped(c, c.quantized(0), shape));
}

std::vector<std::int64_t> axes_of(const NodeContext& c, std::size_t rank) {
  std::vector<std::int64_t> axes = c.has(1) ? c.constant(1).integers() : c.integers("axes", {});
  for (std::int64_t& a : axes) {
    a += a < 0 ? static_cast<std::int64_t>(rank) : 0;
    c.require(a >= 0 && a < static_cast<std::int64_t>(rank),
              "has an axis outside of " + std::to_string(rank) + " dimensions");
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

void squeeze(const NodeContext& c) {
  const graph::Shape x = c.shape(0);
  const auto axes = axes_of(c, x.size());
  graph::Shape shape;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool gone =
        axes.empty() ? x[i] == 1 : std::count(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) > 0;
    c.require(!gone || x[i] == 1, "squeezes dimension " + std::to_string(i) + " of " + graph::to_string(x));
    if (!gone) shape.push_back(x[i]);
  }
  reshape_to(c, shape);
}

void unsqueeze(const NodeContext& c) {
  graph::Shape shape = c.shape(0);
  const std::size_t count = c.has(1) ? c.constant(1).integers().size() : c.integers("axes", {}).size();
  for (std::int64_t a : axes_of(c, shape.size() + count))
    shape.insert(shape.begin() + std::min<std::ptrdiff_t>(a, std::ssize(shape)), 1);
  reshape_to(c, shape);
}

void flatten(const NodeContext& c) {
  const graph::Shape x = c.shape(0);
  std::int64_t axis = c.integer("axis", 1);
  if (axis < 0) axis += static_cast<std::int64_t>(x.size());
  c.require(axis >= 0 && axis <= static_cast<std::int64_t>(x.size()), "has an axis outside of its input");
  const graph::Shape head(x.begin(), x.begin() + axis), tail(x.begin() + axis, x.end());
  reshape_to(c, {graph::element_count(head), graph::element_count(tail)});
}

/// Of a Transpose of `rank` dimensions; without one they are reversed (ONNX, Transpose-13).
std::vector<std::int64_t> permutation_of(const NodeContext& c, std::size_t rank) {
  std::vector<std::int64_t> wanted = c.integers("perm", {});
  if (wanted.empty())
    for (std::size_t i = rank; i-- > 0;) wanted.push_back(static_cast<std::int64_t>(i));
  std::vector<std::int64_t> sorted = wanted;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    c.require(sorted[i] == static_cast<std::int64_t>(i), "has no permutation");
  c.require(wanted.size() == rank,
            "permutes " + std::to_string(wanted.size()) + " dimensions of " + std::to_string(rank));
  return wanted;
}

/// A Transpose moves nothing: it changes what the stored dimensions mean.
void transpose(const NodeContext& c) {
  const std::size_t rank = c.shape(0).size();
  const std::vector<std::int64_t> wanted = permutation_of(c, rank);
  if (const auto* input = std::get_if<FloatInput>(&c.input(0))) {
    FloatInput result = *input;
    for (std::size_t i = 0; i < rank; ++i) result.perm[i] = input->perm[static_cast<std::size_t>(wanted[i])];
    return c.set_output(std::move(result));
  }
  const auto renamed = [wanted](Quantized v) {
    for (int& p : v.perm) p = static_cast<int>(std::find(wanted.begin(), wanted.end(), p) - wanted.begin());
    return v;
  };
  if (const auto* front = std::get_if<Deferred>(&c.input(0))) {
    graph::Shape shape;
    for (std::int64_t w : wanted) shape.push_back(front->shape[static_cast<std::size_t>(w)]);
    return c.set_output(behind(c, *front, std::move(shape), {{}, renamed}));
  }
  c.set_output(renamed(c.quantized(0)));
}

void concat(const NodeContext& c) {
  std::vector<Quantized> inputs;
  graph::Shape shape = c.shape(0);
  std::int64_t axis = c.integer("axis", 0);
  if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
  c.require(axis >= 0 && axis < static_cast<std::int64_t>(shape.size()), "has an axis outside of its inputs");
  for (int i = 0; i < c.proto().input_size(); ++i) {
    inputs.push_back(c.quantized(i));
    c.require(c.shape(i).size() == shape.size(), "joins inputs of different numbers of dimensions");
    if (i > 0) inputs.back() = c.builder().stored_as(inputs.back(), inputs[0].perm, c.name());
    if (i > 0) shape[static_cast<std::size_t>(axis)] += c.shape(i).at(static_cast<std::size_t>(axis));
  }
  Deferred d{shape, c.what(), {}, {}, {}};
  d.quantize = [c, inputs, axis](const Request& request) {
    const graph::Quantization& to = request.quantization;
    std::vector<graph::TensorId> ids;
    for (const Quantized& v : inputs) {
      const graph::Quantization from = c.builder().quantization(v);
      const auto m = graph::multiplier_of(from.scale[0] / to.scale[0]);
      const bool same = from.scale == to.scale && from.zero_point == to.zero_point;
      ids.push_back(same ? v.id
                         : c.builder()
                               .add(c.name() + "/scale",
                                    graph::Requantize{from.zero_point[0], stage(request, {m}, {255})}, {v.id},
                                    to, v.perm)
                               .id);
    }
    const auto& perm = inputs[0].perm;
    const auto stored =
        static_cast<int>(std::find(perm.begin(), perm.end(), static_cast<int>(axis)) - perm.begin());
    const auto join = [&](std::vector<graph::TensorId> few) {
      return c.builder().add(c.name(), graph::Concat{stored}, std::move(few), to, perm).id;
    };
    return Quantized{graph::joined_in_steps(std::move(ids), join), perm};
  };
  c.set_output(std::move(d));
}

void pad(const NodeContext& c) {
  c.require(c.text("mode", "constant") == "constant", "needs mode constant");
  const auto value = c.has(2) ? c.constant(2).reals() : std::vector<double>{0};
  c.require(value.size() == 1 && value[0] == 0, "pads with another value than 0");
  const auto amounts = c.has(1) ? c.constant(1).integers() : c.integers("pads", {});
  const Quantized x = c.quantized(0);
  const std::size_t rank = x.perm.size();
  c.require(amounts.size() == 2 * rank,
            "has " + std::to_string(amounts.size()) + " amounts, needs " + std::to_string(2 * rank));
  graph::Pad op;
  op.value = c.builder().quantization(x).zero_point[0];
  for (int p : x.perm) {
    op.before.push_back(amounts[static_cast<std::size_t>(p)]);
    op.after.push_back(amounts[static_cast<std::size_t>(p) + rank]);
  }
  c.set_output(c.builder().add(c.name(), std::move(op), {x.id}, c.builder().quantization(x), x.perm));
}

/// Starts and ends of a Slice count from the end where negative, and stop at the borders (ONNX, Slice-13).
void slice(const NodeContext& c) {
  const Quantized x = c.quantized(0);
  const graph::Shape shape = c.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto starts = c.constant(1).integers(), ends = c.constant(2).integers();
  std::vector<std::int64_t> axes = c.has(3) ? c.constant(3).integers() : std::vector<std::int64_t>{};
  if (axes.empty())
    for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  const auto steps = c.has(4) ? c.constant(4).integers() : std::vector<std::int64_t>(axes.size(), 1);
  c.require(starts.size() == axes.size() && ends.size() == axes.size() && steps.size() == axes.size(),
            "has " + std::to_string(starts.size()) + " starts, " + std::to_string(ends.size()) +
                " ends and " + std::to_string(steps.size()) + " steps for " + std::to_string(axes.size()) +
                " axes");
  std::vector<std::int64_t> from(shape.size()), step(shape.size(), 1);
  graph::Shape extents = shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    c.require(axis >= 0 && axis < rank,
              "has axis " + std::to_string(axes[i]) + " of " + std::to_string(rank));
    c.require(steps[i] != 0, "has step 0");
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t n = shape[a], back = steps[i] < 0 ? 1 : 0;
    const std::int64_t by = std::clamp(steps[i], -n, n);  // a longer step leads out as this one does
    const auto place = [&](std::int64_t at) { return std::clamp(at < 0 ? at + n : at, -back, n - back); };
    from[a] = place(starts[i]);
    step[a] = by;
    // An end before the first element is written as one below -n.
    const std::int64_t reach = place(ends[i]) - from[a];
    extents[a] = (reach + by - (by > 0 ? 1 : -1)) / by;
    c.require(extents[a] > 0, "leaves nothing of axis " + std::to_string(axis));
  }
  graph::View view;
  for (std::size_t d = 0; d < x.perm.size(); ++d) {
    const auto p = static_cast<std::size_t>(x.perm[d]);
    view.shape.push_back(extents[p]);
    graph::Source source{from[p], graph::Extents(x.perm.size()), 1};
    source.step[d] = step[p];
    view.source.push_back(std::move(source));
  }
  c.set_output(c.builder().add(c.name(), std::move(view), {x.id}, c.builder().quantization(x), x.perm));
}

void concat_constants(const NodeContext& c) {
  Constant result = c.constant(0);
  std::vector<double> values = result.elements();
  for (int i = 1; i < c.proto().input_size(); ++i) {
    const auto more = c.constant(i).elements();
    c.require(std::ssize(values) + std::ssize(more) <= kMostJoined,
              "joins constants to more than 2^20 elements");
    values.insert(values.end(), more.begin(), more.end());
  }
  c.require(result.shape.size() == 1, "joins constants of more than one dimension");
  c.set_output(make_constant({static_cast<std::int64_t>(values.size())}, result.type, values));
}

}  // namespace

bool import_movement(const NodeContext& c) {
  const std::string& op = c.proto().op_type();
  if (op == "Reshape") return reshape_to(c, reshaped_to(c, c.shape(0), c.constant(1).integers())), true;
  if (op == "Squeeze") return squeeze(c), true;
  if (op == "Unsqueeze") return unsqueeze(c), true;
  if (op == "Flatten") return flatten(c), true;
  if (op == "Transpose") return transpose(c), true;
  if (op == "Concat") return concat(c), true;
  if (op == "Pad") return pad(c), true;
  if (op == "Slice") return slice(c), true;
  if (op == "Identity" || op == "Dropout") return c.set_output(c.input(0)), true;
  return false;
}

bool fold_constant(const NodeContext& c) {
  const std::string& op = c.proto().op_type();
  if (op == "Constant") {
    const auto* value = c.find("value");
    c.require(value != nullptr, "has no tensor as value");
    return c.set_output(constant_of(value->t(), c.where())), true;
  }
  if (op == "Shape") {
    const graph::Shape s = c.shape(0);
    const std::int64_t rank = std::ssize(s);
    const auto place = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t begin = place(c.integer("start", 0)),
                       end = std::max(begin, place(c.integer("end", rank)));
    return c.set_output(
               make_constant({end - begin}, onnx::TensorProto::INT64, {s.begin() + begin, s.begin() + end})),
           true;
  }
  for (int i = 0; i < c.proto().input_size(); ++i)
    if (c.has(i) && !c.is_constant(i)) return false;
  if (op == "ConstantOfShape") {
    const auto* value = c.find("value");
    const Constant fill =
        value ? constant_of(value->t(), c.where()) : make_constant({1}, onnx::TensorProto::FLOAT, {0});
    const graph::Shape shape = c.constant(0).integers();
    const auto count = counted(shape);
    c.require(count && *count <= kLargestConstant, "makes a constant of " + graph::to_string(shape) +
                                                       ", needs extents from 0 on and at most " +
                                                       std::to_string(kLargestConstant) + " elements");
    const std::vector<double> value_of_all = fill.elements();
    c.require(value_of_all.size() == 1,
              "has a value of " + std::to_string(value_of_all.size()) + " elements");
    return c.set_output(make_constant(
               shape, fill.type, std::vector<double>(static_cast<std::size_t>(*count), value_of_all[0]))),
           true;
  }
  if (op == "Cast")
    return c.set_output(make_constant(c.constant(0).shape, static_cast<int>(c.integer("to", 1)),
                                      c.constant(0).elements())),
           true;
  if (op == "Transpose" && !c.constant(0).quantization) {
    const Constant& v = c.constant(0);
    std::vector<int> perm;
    for (std::int64_t p : permutation_of(c, v.shape.size())) perm.push_back(static_cast<int>(p));
    graph::Shape shape;
    for (int p : perm) shape.push_back(v.shape.at(static_cast<std::size_t>(p)));
    return c.set_output(make_constant(shape, v.type, permute(v.elements(), v.shape, perm))), true;
  }
  if (op == "Concat") return concat_constants(c), true;
  return false;
}

}  // namespace vdla::import::onnx_model
