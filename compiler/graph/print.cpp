// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/expr/print.h"
#include "support/json_dump.h"
#include "support/overloaded.h"

namespace vdla::graph {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(Hw v) { return Json::array({v.h, v.w}); }
Json json_of(const Pads& p) { return Json::array({p.top, p.bottom, p.left, p.right}); }
Json json_of(const Multiplier& m) {
  return m.guard == 0 ? Json::array({m.value, m.shift}) : Json::array({m.value, m.shift, m.guard});
}
Json json_of(const OutputStage& s) {
  Json multipliers = Json::array();
  for (const Multiplier& m : s.multiplier) multipliers.push_back(json_of(m));
  return {{"multiplier", multipliers}, {"zero_point", s.zero_point}, {"min", s.min}, {"max", s.max}};
}

template <class Convolution>
Json convolution(const Convolution& op) {
  return {{"stride", json_of(op.stride)},
          {"dilation", json_of(op.dilation)},
          {"pads", json_of(op.pads)},
          {"input_zero_point", op.input_zero_point},
          {"weight_zero_point", op.weight_zero_point},
          {"out", json_of(op.out)}};
}

Json json_of(const BatchMatMul& op) {
  return {{"transpose_a", op.transpose_a},
          {"transpose_b", op.transpose_b},
          {"a_zero_point", op.a_zero_point},
          {"b_zero_point", op.b_zero_point},
          {"out", json_of(op.out)}};
}
Json json_of(const BatchMatMul& op, const EntryShape& entry) {
  Json json = json_of(op);
  json["entry"] = {entry.lanes, entry.depth};
  json["block"] = entry.block;
  return json;
}

template <class Pool>
Json pool(const Pool& op) {
  return {{"kernel", json_of(op.kernel)}, {"stride", json_of(op.stride)}, {"pads", json_of(op.pads)}};
}

Json clamped_pool(Json json, std::int32_t min, std::int32_t max) {
  json["min"] = min;
  json["max"] = max;
  return json;
}

template <class Op>
Json window(const Op& op) {
  return {{"stride", op.stride}, {"dilation", op.dilation}, {"before", op.before}, {"after", op.after}};
}

Json json_of(const View& op) {
  Json sources = Json::array();
  for (const Source& s : op.source) {
    Json one = {{"offset", s.offset}, {"step", s.step}};
    if (s.spread != 1) one["spread"] = s.spread;
    sources.push_back(std::move(one));
  }
  Json json = {{"shape", op.shape}, {"source", sources}, {"outside", name_of(op.outside)}};
  if (op.fill) json["fill"] = expr::to_string(op.fill);
  return json;
}

/// One attribute on one line; long lists show their first element and length.
std::string brief(const Json& value) {
  if (value.is_object()) {
    std::vector<std::string> parts;
    for (const auto& [key, v] : value.items()) parts.push_back(key + "=" + brief(v));
    return "{" + fmt::format("{}", fmt::join(parts, " ")) + "}";
  }
  if (value.is_array() && value.size() > 8)
    return fmt::format("[{}, ... {} in all]", json_dump(value[0]), value.size());
  return json_dump(value);
}

std::string quantization_text(const Quantization& q) {
  if (q.empty()) return "";
  if (q.per_channel())
    return fmt::format(" scale {:.6g}.. per {} of dimension {}", q.scale[0], q.scale.size(), q.axis);
  return fmt::format(" scale {:.6g} zero point {}", q.scale[0], q.zero_point[0]);
}

std::string tensor_text(const Graph& graph, TensorId id) {
  if (id == kNone) return "-";
  const Tensor& t = graph.tensor(id);
  return fmt::format("%{}:{}[{}]", id, name_of(t.type), to_string(t.shape));
}

Json json_of(const Quantization& q) {
  return {{"scale", q.scale}, {"zero_point", q.zero_point}, {"axis", q.axis}};
}

Json json_of(const Graph& graph, const Port& port) {
  return {{"tensor", port.tensor},
          {"name", graph.tensor(port.tensor).name},
          {"type", name_of(port.model_type)},
          {"shape", port.model_shape},
          {"perm", port.perm}};
}

}  // namespace

Json attributes(const Op& op) {
  return std::visit(
      overloaded{
          [](const Conv2d& o) {
            Json json = convolution(o);
            json["groups"] = o.groups;
            if (o.filler > 0) json["filler"] = o.filler;
            return json;
          },
          [](const DepthwiseConv2d& o) { return convolution(o); },
          [](const FullyConnected& o) -> Json {
            return {{"input_zero_point", o.input_zero_point},
                    {"weight_zero_point", o.weight_zero_point},
                    {"out", json_of(o.out)}};
          },
          [](const BatchMatMul& o) { return json_of(o); },
          [](const PackMatrices& o) { return json_of(o.product, o.entry); },
          [](const PackScales& o) { return json_of(o.product, o.entry); },
          [](const PackedMatMul& o) {
            Json json = json_of(o.product, o.entry);
            json["batch"] = o.batch;
            json["columns"] = o.columns;
            return json;
          },
          [](const Add& o) -> Json {
            return {{"left_shift", o.left_shift},
                    {"a_zero_point", o.a_zero_point},
                    {"b_zero_point", o.b_zero_point},
                    {"a", json_of(o.a)},
                    {"b", json_of(o.b)},
                    {"out", json_of(o.out)}};
          },
          [](const Mul& o) -> Json {
            return {
                {"a_zero_point", o.a_zero_point}, {"b_zero_point", o.b_zero_point}, {"out", json_of(o.out)}};
          },
          [](const Maximum&) { return Json::object(); },
          [](const Minimum&) { return Json::object(); },
          [](const MaxPool2d& o) { return clamped_pool(pool(o), o.min, o.max); },
          [](const AvgPool2d& o) {
            Json json = clamped_pool(pool(o), o.min, o.max);
            if (o.offset != 0) json["offset"] = o.offset;
            return json;
          },
          [](const SumPool2d& o) {
            Json json = pool(o);
            json["input_zero_point"] = o.input_zero_point;
            json["out"] = json_of(o.out);
            return json;
          },
          [](const Mean& o) -> Json {
            return {{"axes", o.axes},
                    {"keep_dims", o.keep_dims},
                    {"input_zero_point", o.input_zero_point},
                    {"out", json_of(o.out)}};
          },
          [](const Softmax& o) -> Json { return {{"input", json_of(o.input)}, {"diff_min", o.diff_min}}; },
          [](const SoftmaxFloat&) { return Json::object(); },
          [](const ArgMax& o) -> Json { return {{"axis", o.axis}}; },
          [](const Requantize& o) -> Json {
            return {{"input_zero_point", o.input_zero_point}, {"out", json_of(o.out)}};
          },
          [](const Quantize& o) -> Json { return {{"scale", o.scale}, {"zero_point", o.zero_point}}; },
          [](const Dequantize& o) -> Json { return {{"scale", o.scale}, {"zero_point", o.zero_point}}; },
          [](const Lut& o) -> Json { return {{"function", o.function}, {"table", o.table}}; },
          [](const Reshape& o) -> Json { return {{"shape", o.shape}}; },
          [](const Transpose& o) -> Json { return {{"perm", o.perm}}; },
          [](const Pad& o) -> Json { return {{"before", o.before}, {"after", o.after}, {"value", o.value}}; },
          [](const Concat& o) -> Json { return {{"axis", o.axis}}; },
          [](const Im2col& o) {
            Json json = pool(o);
            json["dilation"] = json_of(o.dilation);
            json["pad_value"] = o.pad_value;
            return json;
          },
          [](const Map& o) -> Json { return {{"function", o.function}, {"body", expr::to_string(o.body)}}; },
          [](const Fold& o) -> Json {
            return {{"reducer", expr::name(o.reducer)}, {"axes", o.axes}, {"keep_dims", o.keep_dims}};
          },
          [](const View& o) { return json_of(o); },
          [](const Convolve& o) {
            Json json = window(o);
            json["groups"] = o.groups;
            return json;
          },
          [](const Window& o) {
            Json json = window(o);
            json["reducer"] = expr::name(o.reducer);
            json["kernel"] = o.kernel;
            return json;
          },
          [](const MatMul& o) -> Json {
            return {{"transpose_a", o.transpose_a}, {"transpose_b", o.transpose_b}};
          },
          [](const Gather& o) -> Json { return {{"axis", o.axis}}; },
          [](const GatherElements& o) -> Json { return {{"axis", o.axis}}; },
          [](const GatherNd& o) -> Json { return {{"batch", o.batch}}; },
          [](const ScatterElements& o) -> Json { return {{"axis", o.axis}, {"mode", name_of(o.mode)}}; },
          [](const ScatterNd& o) -> Json { return {{"mode", name_of(o.mode)}}; },
          [](const Locate& o) -> Json {
            return {{"axis", o.axis}, {"smallest", o.smallest}, {"last", o.last}, {"keep_dims", o.keep_dims}};
          },
          [](const Cumulate& o) -> Json {
            return {{"axis", o.axis}, {"exclusive", o.exclusive}, {"reverse", o.reverse}};
          },
          [](const Sort& o) -> Json { return {{"axis", o.axis}, {"descending", o.descending}}; },
          [](const BlockChannels& o) -> Json { return {{"block", o.block}}; },
          [](const UnblockChannels& o) -> Json { return {{"channels", o.channels}}; },
          [](const ConvolveBlocks& o) {
            Json json = window(o);
            json["in_channels"] = o.in_channels;
            json["out_channels"] = o.out_channels;
            json["depthwise"] = o.depthwise;
            return json;
          },
          [](const MatMulPanels& o) -> Json { return {{"columns", o.columns}}; },
      },
      op);
}

std::string to_text(const Graph& graph) {
  std::string text = fmt::format("graph '{}'\n", graph.name);
  const auto port_line = [&](const char* direction, const Port& port) {
    const Tensor& t = graph.tensor(port.tensor);
    text +=
        fmt::format("{} {} '{}'{}, in the model {}[{}]\n", direction, tensor_text(graph, port.tensor), t.name,
                    quantization_text(t.quantization), name_of(port.model_type), to_string(port.model_shape));
  };
  for (const Port& port : graph.inputs) port_line("input", port);
  for (const Node& node : graph.nodes) {
    std::vector<std::string> inputs;
    for (TensorId id : node.inputs) inputs.push_back(tensor_text(graph, id));
    text += fmt::format("{} = {}({})  # '{}'{}\n", tensor_text(graph, node.output), name_of(node.op),
                        fmt::join(inputs, ", "), node.name,
                        quantization_text(graph.tensor(node.output).quantization));
    const Json shown = attributes(node.op);
    for (const auto& [key, value] : shown.items()) text += fmt::format("    {} = {}\n", key, brief(value));
  }
  for (const Port& port : graph.outputs) port_line("output", port);
  return text;
}

Json to_json(const Graph& graph) {
  Json json = {{"name", graph.name}};
  for (const auto& [key, ports] :
       {std::pair{"inputs", &graph.inputs}, std::pair{"outputs", &graph.outputs}}) {
    json[key] = Json::array();
    for (const Port& port : *ports) json[key].push_back(json_of(graph, port));
  }
  json["tensors"] = Json::array();
  for (const Tensor& t : graph.tensors)
    json["tensors"].push_back({{"name", t.name},
                               {"type", name_of(t.type)},
                               {"shape", t.shape},
                               {"quantization", json_of(t.quantization)},
                               {"constant", t.constant()}});
  json["nodes"] = Json::array();
  for (const Node& node : graph.nodes)
    json["nodes"].push_back({{"name", node.name},
                             {"op", name_of(node.op)},
                             {"class", name_of(fusion_class_of(node.op))},
                             {"inputs", node.inputs},
                             {"output", node.output},
                             {"macs", macs(graph, node)},
                             {"attributes", attributes(node.op)}});
  return json;
}

}  // namespace vdla::graph
