// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/verify_quantization.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "compiler/graph/sources.h"
#include "support/overloaded.h"

namespace vdla::graph {

namespace {

/// Multipliers have 31 bits, and some kernels multiply scales in float. Factors too small for a multiplier
/// are 0.
constexpr double kSmallestFactor = 0x1p-31;
bool near(double a, double b) {
  return std::abs(a - b) <= std::max(1e-5 * std::max(std::abs(a), std::abs(b)), kSmallestFactor);
}

bool alike(const Quantization& a, const Quantization& b) {
  return a.zero_point == b.zero_point &&
         std::ranges::equal(a.scale, b.scale, [](double s, double t) { return near(s / t, 1); });
}

std::string text_of(const Quantization& q) {
  if (q.empty()) return "no scale";
  if (q.per_channel()) return fmt::format("{} scales from {} on", q.scale.size(), q.scale[0]);
  return fmt::format("scale {} zero point {}", q.scale[0], q.zero_point[0]);
}

/// The factor of the multiplier; limit_sums() makes all from 256 on 256.
constexpr double kLargestFactor = 256;
double factor_of(const Multiplier& m) {
  return std::min(std::ldexp(static_cast<double>(m.value), m.shift - 31), kLargestFactor);
}

/// The rules for one node; the first broken one is kept.
class Rules {
 public:
  Rules(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  std::optional<std::string> run() {
    real_states_nothing();
    std::visit([&](const auto& op) { check(op); }, node_.op);
    return std::move(fault_);
  }

 private:
  void break_rule(const std::string& what) {
    if (!fault_) fault_ = fmt::format("node '{}' ({}) {}", node_.name, name_of(node_.op), what);
  }

  const Tensor* operand(std::size_t i) const {
    return i < node_.inputs.size() && node_.inputs[i] != kNone ? &graph_.tensor(node_.inputs[i]) : nullptr;
  }
  const Tensor& result() const { return graph_.tensor(node_.output); }

  /// Returns the tensor's quantisation; null if the tensor is absent or states none.
  static const Quantization* stated(const Tensor* t) {
    return t && !t->quantization.empty() ? &t->quantization : nullptr;
  }

  void real_states_nothing() {
    const Tensor& out = result();
    const bool integers =
        out.type == DataType::Int8 || out.type == DataType::Int16 || out.type == DataType::Int32;
    if (!integers && stated(&out))
      break_rule(fmt::format("writes {} with {}, which only int8, int16 and int32 have", name_of(out.type),
                             text_of(out.quantization)));
  }

  void zero_point(const Tensor* t, std::int32_t own, std::string_view verb) {
    const Quantization* q = stated(t);
    if (q && std::ranges::any_of(q->zero_point, [&](std::int32_t z) { return z != own; }))
      break_rule(
          fmt::format("{} '{}' with zero point {}, the tensor states {}", verb, t->name, own, text_of(*q)));
  }
  void reads(std::size_t i, std::int32_t zero) { zero_point(operand(i), zero, "reads"); }

  /// Each of `own` is the product of the operands' scales over the result's, `times` that.
  void factors(std::span<const double> own, std::span<const Quantization* const> operands, double times) {
    const Quantization* out = stated(&result());
    if (!out || std::ranges::find(operands, nullptr) != operands.end()) return;
    std::size_t channels = own.size();
    for (const Quantization* q : operands) channels = std::max(channels, q->scale.size());
    const auto at = [](const auto& list, std::size_t c) { return list[list.size() == 1 ? 0 : c]; };
    for (std::size_t c = 0; c < channels; ++c) {
      double scales = times / out->scale[0];
      for (const Quantization* q : operands) scales *= at(q->scale, c);
      if (near(at(own, c), std::min(scales, kLargestFactor))) continue;
      return break_rule(
          fmt::format("multiplies by {}, the scales of its tensors give {}", at(own, c), scales));
    }
  }

  /// The output stage behind sums of products of the first `count` operands.
  void writes(const OutputStage& out, std::size_t count, double times = 1) {
    zero_point(&result(), out.zero_point, "writes");
    std::vector<const Quantization*> operands;
    for (std::size_t i = 0; i < count; ++i) operands.push_back(stated(operand(i)));
    std::vector<double> own;
    for (const Multiplier& m : out.multiplier) own.push_back(factor_of(m));
    factors(own, operands, times);
  }

  void attributes(const Tensor* t, double scale, std::int32_t zero, std::string_view verb) {
    zero_point(t, zero, verb);
    const Quantization* q = stated(t);
    if (q && !near(scale / q->scale[0], 1))
      break_rule(
          fmt::format("{} '{}' with scale {}, the tensor states {}", verb, t->name, scale, text_of(*q)));
  }

  /// The first `count` operands and the result are quantised alike.
  void keeps(std::size_t count) {
    const Quantization* out = stated(&result());
    for (std::size_t i = 0; out && i < count; ++i)
      if (const Quantization* in = stated(operand(i)); in && !alike(*in, *out))
        break_rule(fmt::format("gives '{}' with {} as {}", operand(i)->name, text_of(*in), text_of(*out)));
  }

  template <class Op>
  void weighted(const Op& op) {
    reads(0, op.input_zero_point);
    reads(1, op.weight_zero_point);
    writes(op.out, 2);
  }
  void product(const BatchMatMul& op) {
    reads(0, op.a_zero_point);
    writes(op.out, 2);
  }

  void check(const Conv2d& op) { weighted(op); }
  void check(const DepthwiseConv2d& op) { weighted(op); }
  void check(const FullyConnected& op) { weighted(op); }
  void check(const BatchMatMul& op) {
    reads(1, op.b_zero_point);
    product(op);
  }
  void check(const PackedMatMul& op) { product(op.product); }
  void check(const PackMatrices& op) { reads(0, op.product.b_zero_point); }
  void check(const PackScales& op) { reads(0, op.product.b_zero_point); }
  void check(const Add& op) {
    reads(0, op.a_zero_point);
    reads(1, op.b_zero_point);
    zero_point(&result(), op.out.zero_point, "writes");
    const double both = std::ldexp(factor_of(op.out.multiplier[0]), op.left_shift);
    for (const auto& [i, m] : {std::pair{0, op.a}, std::pair{1, op.b}}) {
      const Quantization* in = stated(operand(static_cast<std::size_t>(i)));
      // A difference has a negative one.
      factors(std::array{std::abs(factor_of(m)) * both}, std::array{in}, 1);
    }
  }
  void check(const Mul& op) {
    reads(0, op.a_zero_point);
    reads(1, op.b_zero_point);
    writes(op.out, 2);
  }
  void check(const SumPool2d& op) {
    reads(0, op.input_zero_point);
    writes(op.out, 1, 1.0 / static_cast<double>(op.kernel.h * op.kernel.w));
  }
  void check(const Mean& op) {
    reads(0, op.input_zero_point);
    const double count = static_cast<double>(element_count(operand(0)->shape)) /
                         static_cast<double>(element_count(result().shape));
    writes(op.out, 1, 1.0 / count);
  }
  void check(const Requantize& op) {
    reads(0, op.input_zero_point);
    writes(op.out, 1);
  }
  void check(const Softmax&) { attributes(&result(), 1.0 / 256, -128, "writes"); }
  void check(const Quantize& op) { attributes(&result(), op.scale, op.zero_point, "writes"); }
  void check(const Dequantize& op) { attributes(operand(0), op.scale, op.zero_point, "reads"); }
  void check(const Im2col& op) {
    reads(0, op.pad_value);
    keeps(1);
  }
  void check(const Concat&) { keeps(node_.inputs.size()); }
  void check(const Maximum&) { keeps(2); }
  void check(const Minimum&) { keeps(2); }
  void check(const Transpose& op) {
    if (const Quantization* in = stated(operand(0)); in && in->per_channel()) return moves_channels(*in, op);
    keeps(1);
  }
  void check(const MaxPool2d&) { keeps(1); }
  void check(const AvgPool2d&) { keeps(1); }
  void check(const Bilinear&) { keeps(1); }
  void check(const Pad&) { keeps(1); }
  void check(const View&) { keeps(1); }
  void check(const ReduceWindow&) { keeps(1); }
  void check(const Gather&) { keeps(1); }
  void check(const GatherElements&) { keeps(1); }
  void check(const GatherNd&) { keeps(1); }
  void check(const BlockChannels&) { keeps(1); }
  void check(const UnblockChannels&) { keeps(1); }
  // Any function of integers, numbers that are no values of the network, and operators of floats, whose
  // results state nothing. Reshape: its result states what it likes.
  template <class Op>
  void check(const Op&) {}

  void moves_channels(const Quantization& in, const Transpose& op) {
    const Quantization* out = stated(&result());
    if (out && (!alike(in, *out) || op.perm.at(static_cast<std::size_t>(out->axis)) != in.axis))
      break_rule("gives channels other scales than they had");
  }

  const Graph& graph_;
  const Node& node_;
  std::optional<std::string> fault_;
};

/// The quantisations of all Quantize nodes that read a float tensor, through reshapes.
void collect_readers(const Graph& g, const std::vector<std::vector<NodeId>>& readers, TensorId from,
                     std::vector<Quantization>& found) {
  std::vector<TensorId> left{from};
  while (!left.empty()) {
    const TensorId at = left.back();
    left.pop_back();
    for (const NodeId reader : readers[static_cast<std::size_t>(at)]) {
      const Node& node = g.node(reader);
      if (const auto* op = std::get_if<Quantize>(&node.op))
        found.push_back({{op->scale}, {op->zero_point}, -1});
      if (std::holds_alternative<Reshape>(node.op)) left.push_back(node.output);
    }
  }
}

/// The quantisation of the Dequantize that writes a float tensor, through reshapes.
void collect_writer(const Graph& g, const std::vector<NodeId>& writers, TensorId to,
                    std::vector<Quantization>& found) {
  for (NodeId writer = writers[static_cast<std::size_t>(to)]; writer != kNone;) {
    const Node& node = g.node(writer);
    if (const auto* op = std::get_if<Dequantize>(&node.op))
      found.push_back({{op->scale}, {op->zero_point}, -1});
    if (!std::holds_alternative<Reshape>(node.op)) return;
    writer = writers[static_cast<std::size_t>(node.inputs[0])];
  }
}

template <class Collect>
std::vector<Meaning::Port> meanings_of(const Graph& g, const std::vector<Port>& ports,
                                       const Collect& collect) {
  std::vector<Meaning::Port> result;
  for (const Port& port : ports) {
    const Tensor& t = g.tensor(port.tensor);
    Meaning::Port made{t.name, port.model_type, port.model_shape, {}};
    if (t.type == DataType::Float32)
      collect(port.tensor, made.integers);
    else
      made.integers.push_back(t.quantization);
    result.push_back(std::move(made));
  }
  return result;
}

std::map<std::string, std::vector<Quantization>> values_of(const Graph& g) {
  std::map<std::string, std::vector<Quantization>> result;
  const std::vector<bool> lasting = lasting_tensors(g);
  for (std::size_t i = 0; i < lasting.size(); ++i)
    if (lasting[i])
      for (const SourceTensor& s : sources_of(g.tensors[i]))
        if (s.likeness <= Likeness::Reordered) result[s.name].push_back(g.tensors[i].quantization);
  return result;
}

/// Whether all int8 values that are computed state their quantisation; packed operands are no values.
bool states_all(const Graph& g) {
  return std::ranges::all_of(g.nodes, [&](const Node& node) {
    const Tensor& t = g.tensor(node.output);
    return t.type != DataType::Int8 || !t.quantization.empty() ||
           std::holds_alternative<PackMatrices>(node.op);
  });
}

bool known(const std::vector<Quantization>& among, const Quantization& q) {
  return std::ranges::any_of(among, [&](const Quantization& other) { return alike(other, q); });
}

std::optional<std::string> lost(const std::vector<Meaning::Port>& before,
                                const std::vector<Meaning::Port>& after) {
  if (before.size() != after.size()) return fmt::format("has {} ports for {}", after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Meaning::Port &was = before[i], &is = after[i];
    if (was.name != is.name) return fmt::format("calls the port '{}' '{}'", was.name, is.name);
    if (was.type != is.type || was.shape != is.shape)
      return fmt::format("makes the port '{}' of {} {} one of {} {}", was.name, name_of(was.type),
                         to_string(was.shape), name_of(is.type), to_string(is.shape));
    for (const Quantization& q : is.integers)
      if (!known(was.integers, q))
        return fmt::format("gives the integers of the port '{}' another meaning: {}", was.name, text_of(q));
  }
  return std::nullopt;
}

/// Values that stand for a tensor of the model are quantised as one that stood for it, unless it was real.
std::optional<std::string> lost(const Meaning& before, const Meaning& after) {
  for (const auto& [name, is] : after.values) {
    const auto was = before.values.find(name);
    if (was == before.values.end() || known(was->second, {})) continue;
    for (const Quantization& q : is)
      if (!known(was->second, q))
        return fmt::format("shows '{}' of the model, which had {}, as a value with {}", name,
                           text_of(was->second[0]), text_of(q));
  }
  return std::nullopt;
}

/// States mean something for the next run, as ports do for what is outside.
std::vector<Port> with_states(const Graph& graph, std::vector<Port> ports, TensorId State::* side) {
  for (const State& state : graph.states) {
    const Tensor& t = graph.tensor(state.*side);
    ports.push_back({state.*side, t.type, t.shape, {}});
  }
  return ports;
}

}  // namespace

std::optional<std::string> quantization_fault(const Graph& graph) {
  for (const Node& node : graph.nodes)
    if (auto fault = Rules(graph, node).run()) return fault;
  return std::nullopt;
}

Meaning meaning_of(const Graph& graph) {
  Meaning made;
  const auto readers = consumers(graph);
  const auto writers = producers(graph);
  const auto read_as = [&](TensorId id, std::vector<Quantization>& found) {
    collect_readers(graph, readers, id, found);
  };
  const auto made_as = [&](TensorId id, std::vector<Quantization>& found) {
    collect_writer(graph, writers, id, found);
  };
  made.inputs = meanings_of(graph, with_states(graph, graph.inputs, &State::begin), read_as);
  made.outputs = meanings_of(graph, with_states(graph, graph.outputs, &State::end), made_as);
  made.values = values_of(graph);
  made.fault = quantization_fault(graph);
  made.complete = states_all(graph);
  return made;
}

std::optional<std::string> lost_meaning(const Meaning& before, const Meaning& after) {
  if (before.fault) return std::nullopt;
  if (after.fault && before.complete) return after.fault;
  if (auto what = lost(before.inputs, after.inputs)) return what;
  if (auto what = lost(before.outputs, after.outputs)) return what;
  return lost(before, after);
}

}  // namespace vdla::graph
