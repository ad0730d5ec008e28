// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_builder.h"

#include <algorithm>
#include <numeric>

#include "compiler/graph/requant.h"
#include "compiler/graph/sources.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::import::onnx_model {

std::vector<int> identity_perm(std::size_t rank) {
  std::vector<int> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  return perm;
}

std::vector<int> nhwc_perm() { return {0, 2, 3, 1}; }

graph::OutputStage stage(const Request& request, std::vector<graph::Multiplier> multiplier) {
  const double scale = request.quantization.scale[0];
  const std::int32_t zero_point = request.quantization.zero_point[0];
  return {std::move(multiplier), zero_point, graph::quantize_clamped(request.low, scale, zero_point),
          graph::quantize_clamped(request.high, scale, zero_point)};
}

graph::OutputStage stage(const Request& request, std::vector<graph::Multiplier> multiplier,
                         const std::vector<std::int64_t>& bounds) {
  graph::add_guard(multiplier, bounds);
  return stage(request, std::move(multiplier));
}

const Value& OnnxBuilder::value(const std::string& name) const {
  const auto found = values_.find(name);
  VDLA_CHECK_USER(found != values_.end())
      << where_ << "'" << name << "' is read before any node writes it (nodes out of order, or corrupt)";
  return found->second;
}

Quantized OnnxBuilder::add(const std::string& name, graph::Op op, std::vector<graph::TensorId> inputs,
                           graph::Quantization q, std::vector<int> perm) {
  return {graph_.add_node(free_name_(name), std::move(op), std::move(inputs), std::move(q)), std::move(perm)};
}

graph::Shape OnnxBuilder::model_shape(const Quantized& v) const {
  const graph::Shape& stored = graph_.tensor(v.id).shape;
  graph::Shape result(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) result[static_cast<std::size_t>(v.perm[i])] = stored[i];
  return result;
}

namespace {

/// Whether storing dimensions in another order leaves the order of elements as it is: all that moves has
/// extent 1.
bool only_ones_move(const graph::Shape& model_shape, const std::vector<int>& from,
                    const std::vector<int>& to) {
  const auto real_dimensions = [&](const std::vector<int>& perm) {
    std::vector<int> result;
    for (int p : perm)
      if (model_shape[static_cast<std::size_t>(p)] != 1) result.push_back(p);
    return result;
  };
  return real_dimensions(from) == real_dimensions(to);
}

graph::Shape permuted(const graph::Shape& shape, const std::vector<int>& perm) {
  graph::Shape result;
  for (int p : perm) result.push_back(shape[static_cast<std::size_t>(p)]);
  return result;
}

bool in_model_order(const graph::Shape& model_shape, const std::vector<int>& perm) {
  return only_ones_move(model_shape, perm, identity_perm(perm.size()));
}

}  // namespace

/// In steps: a row of operators is longer than the stack is deep.
Quantized Deferred::quantized(Request request) const {
  std::vector<const Passing*> row;
  for (const Passing* p = last; p != nullptr; p = p->front) {
    row.push_back(p);
    if (p->request) request = p->request(request);
  }
  Quantized result = quantize(request);
  for (auto p = row.rbegin(); p != row.rend(); ++p)
    if ((*p)->result) result = (*p)->result(std::move(result));
  return result;
}

Deferred behind(const NodeContext& c, const Deferred& front, graph::Shape shape, Passing node) {
  node.front = front.last;
  return {std::move(shape), front.what, front.quantize, {}, {}, c.builder().keep(std::move(node))};
}

void OnnxBuilder::name(const Quantized& v, const Origins& origins) {
  const bool in_order = in_model_order(model_shape(v), v.perm);
  graph::Tensor& t = graph_.tensor(v.id);
  if (!t.sources) t.sources.emplace();
  graph::add_sources(*t.sources, graph::as(origins.list(), in_order ? Likeness::Same : Likeness::Reordered));
}

Quantized OnnxBuilder::stored_as(const Quantized& v, const std::vector<int>& perm, const std::string& name) {
  if (v.perm == perm) return v;
  const graph::Shape shape = model_shape(v);
  const auto named = [&](Quantized result) {
    Origins origins;
    if (const auto& sources = graph_.tensor(v.id).sources)
      for (const SourceTensor& s : *sources)
        if (s.likeness <= Likeness::Reordered) origins.add(s.name);
    if (!origins.empty()) this->name(result, origins);
    return result;
  };
  if (only_ones_move(shape, v.perm, perm))
    return named(add(name + "/layout", graph::Reshape{permuted(shape, perm)}, {v.id}, quantization(v), perm));
  graph::Transpose op;
  for (int p : perm)
    op.perm.push_back(static_cast<int>(std::find(v.perm.begin(), v.perm.end(), p) - v.perm.begin()));
  return named(add(name + "/layout", std::move(op), {v.id}, quantization(v), perm));
}

Quantized OnnxBuilder::quantize_input(const FloatInput& input, const graph::Quantization& q,
                                      graph::DataType model_type) {
  graph::Shape shape(input.perm.size());  // in the order of the value
  for (std::size_t i = 0; i < shape.size(); ++i)
    shape[i] = input.view_shape[static_cast<std::size_t>(input.perm[i])];
  const std::vector<int> stored = shape.size() == 4 ? nhwc_perm() : identity_perm(shape.size());
  std::vector<int> to_view;
  for (int p : stored) to_view.push_back(input.perm[static_cast<std::size_t>(p)]);
  const std::vector<int> in_order = identity_perm(shape.size());
  const bool plain = only_ones_move(input.view_shape, in_order, to_view);
  const bool as_viewed = plain || input.view_shape == input.model_shape;
  // A view that moves elements of a reshaped input cannot be said in a port: the graph does it.
  const graph::Shape port_shape = as_viewed ? permuted(shape, stored) : input.view_shape;
  const Likeness likeness = plain || !as_viewed ? Likeness::Same : Likeness::Reordered;
  const graph::TensorId id = graph_.add_tensor(
      {input.name, graph::DataType::Int8, port_shape, q, nullptr, Sources{{input.name, likeness}}});
  graph_.inputs.push_back(
      {id, model_type, input.model_shape, plain || !as_viewed ? std::vector<int>{} : to_view});
  if (as_viewed) return {id, stored};
  return add(input.name + "/layout", graph::Transpose{to_view}, {id}, q, stored);
}

NodeContext::NodeContext(OnnxBuilder& builder, const onnx::NodeProto& node, int index)
    : OnnxAttributes(node), builder_(builder) {
  name_ = node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
}

void NodeContext::require(bool ok, const std::string& message) const {
  VDLA_CHECK_USER(ok) << where() << message;
}

const Value& NodeContext::input(int i) const {
  require(has(i), "lacks input " + std::to_string(i));
  return builder_.value(proto().input(i));
}

/// A tensor of the model that is no value of its own, because what computes it is not decided yet or done
/// already, is said of the value that takes its place.
Origins NodeContext::output_origins(const Value& value) const {
  Origins result(proto().output(0));
  const std::string& op = proto().op_type();
  // They change how a value is written, not the value; their other inputs are scales.
  const bool same = op == "QuantizeLinear" || op == "DequantizeLinear" || op == "Identity" || op == "Dropout";
  for (int i = 0; i < (same ? 1 : proto().input_size()); ++i) {
    if (!has(i)) continue;
    std::visit(
        overloaded{
            [&](const Constant& c) {
              if (std::holds_alternative<Constant>(value))
                result.add(c.origins, same ? Likeness::Same : Likeness::From);
            },
            [&](const FloatInput& f) { result.add(f.origins, Likeness::Same); },
            [&](const Deferred& d) { result.add(d.origins, same ? Likeness::Same : Likeness::Within); },
            [](const Quantized&) {},
            [](const FloatTensor&) {},
        },
        input(i));
  }
  return result;
}

void NodeContext::set_output(Value value) const {
  Origins origins = output_origins(value);
  std::visit(overloaded{
                 [&](Quantized& q) { builder_.name(q, origins); },
                 [&](FloatTensor& f) { graph().tensor(f.id).sources = origins.list(); },
                 [&](auto& named) { named.origins = std::move(origins); },
             },
             value);
  builder_.set(proto().output(0), std::move(value));
}

const Constant& NodeContext::constant(int i) const {
  require(is_constant(i), "needs a constant as input " + std::to_string(i));
  return std::get<Constant>(input(i));
}

Quantized NodeContext::quantized(int i) const {
  const Value& v = input(i);
  if (const auto* q = std::get_if<Quantized>(&v)) return *q;
  if (const auto* c = std::get_if<Constant>(&v)) {
    const Int8Constant data = as_int8(*c, where());
    const graph::TensorId id =
        graph().add_constant(proto().input(i), graph::DataType::Int8, c->shape, graph::to_bytes(data.values),
                             data.quantization, data.origins.list());
    return {id, identity_perm(c->shape.size())};
  }
  const auto* deferred = std::get_if<Deferred>(&v);
  require(false, "reads the float result of " +
                     (deferred ? deferred->what : std::string("a float input or operator")) +
                     "; needs a QuantizeLinear and a DequantizeLinear in between");
  return {};
}

graph::Shape NodeContext::shape(int i) const {
  return std::visit(overloaded{
                        [](const Constant& c) { return c.shape; },
                        [&](const Quantized& q) { return builder_.model_shape(q); },
                        [](const FloatInput& f) {
                          graph::Shape s;
                          for (int p : f.perm) s.push_back(f.view_shape[static_cast<std::size_t>(p)]);
                          return s;
                        },
                        [&](const FloatTensor& f) { return graph().tensor(f.id).shape; },
                        [](const Deferred& d) { return d.shape; },
                    },
                    input(i));
}

}  // namespace vdla::import::onnx_model
