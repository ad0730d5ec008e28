// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/pipeline/cmsis_case.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "compiler/graph/compose.h"
#include "compiler/graph/shape.h"
#include "tests/compiler/pipeline/cmsis_reader.h"

namespace vdla::testing {
namespace {

using graph::DataType;
using graph::Shape;
using graph::TensorId;

/// The graph that grows from one case.
struct Reader : CmsisReader {
  CmsisCase result;
  TensorId made = graph::kNone;  ///< result of the layer before, or of the case

  graph::Bytes bytes(const std::string& tensor) const {
    graph::Bytes result;
    for (std::int32_t v : values(tensor)) result.push_back(static_cast<std::byte>(v));
    return result;
  }
  std::string name(const std::string& node) const { return node + std::to_string(result.graph.nodes.size()); }
  TensorId input(const std::string& tensor, Shape shape) {
    if (made != graph::kNone)
      return result.graph.add_node(name("shaped"), graph::Reshape{std::move(shape)}, {made});
    const TensorId id = result.graph.add_tensor({tensor, DataType::Int8, std::move(shape), {}, nullptr});
    result.graph.add_input(id);
    result.inputs.push_back(bytes(tensor));
    return id;
  }
  bool packed() const { return json["weights"] != "int8"; }
  /// Weights as they are in int8: of two that share a byte, the first one has its low half.
  graph::Bytes weight_bytes() const {
    const graph::Bytes stored = bytes(first_of({"weights", "input_weights"}));
    if (!packed()) return stored;
    graph::Bytes result;
    for (const std::byte b : stored)
      for (const int half : {std::to_integer<int>(b) & 15, std::to_integer<int>(b) >> 4})
        result.push_back(static_cast<std::byte>(half < 8 ? half : half - 16));
    return result;
  }
  TensorId weights(Shape shape) {
    graph::Bytes data = weight_bytes();
    data.resize(static_cast<std::size_t>(graph::element_count(shape)));  // half of a byte may be left over
    return result.graph.add_constant("weights", DataType::Int8, std::move(shape),
                                     std::make_shared<graph::Bytes>(std::move(data)));
  }
  TensorId bias() {
    const std::string name = first_of({"biases", "bias", "input_bias"});
    if (name.empty()) return graph::kNone;
    const auto v = values(name);
    return result.graph.add_constant("bias", DataType::Int32, {static_cast<std::int64_t>(v.size())},
                                     graph::to_bytes(v));
  }
  graph::OutputStage stage() const {
    graph::OutputStage s;
    s.zero_point = number32("OUTPUT_OFFSET");
    s.min = number32("OUT_ACTIVATION_MIN", -128);
    s.max = number32("OUT_ACTIVATION_MAX", 127);
    const std::string multiplier = first_of({"output_mult", "output_multiplier"});
    if (multiplier.empty()) {
      s.multiplier = {{number32("OUTPUT_MULTIPLIER", number32("OUTPUT_MULT")), number32("OUTPUT_SHIFT")}};
      return s;
    }
    const auto m = values(multiplier), shift = values("output_shift");
    s.multiplier.clear();
    for (std::size_t i = 0; i < m.size(); ++i) s.multiplier.push_back({m[i], shift[i]});
    return s;
  }
  void finish(graph::Op op, std::vector<TensorId> inputs) {
    made = result.graph.add_node(name("case"), std::move(op), std::move(inputs));
  }
  void finish() {
    result.graph.name = json["case"];
    result.graph.add_output(made);
    result.expected = bytes(first_of({"output_ref", "output"}));
  }

  template <class Convolution>
  Convolution convolution() const {
    Convolution c;
    c.stride = {number("STRIDE_Y"), number("STRIDE_X")};
    c.dilation = {number("DILATION_Y", 1), number("DILATION_X", 1)};
    std::tie(c.pads.top, c.pads.bottom) = pads(number("INPUT_H"), number("PAD_Y"), number("FILTER_Y"),
                                               c.stride.h, c.dilation.h, number("OUTPUT_H"));
    std::tie(c.pads.left, c.pads.right) = pads(number("INPUT_W"), number("PAD_X"), number("FILTER_X"),
                                               c.stride.w, c.dilation.w, number("OUTPUT_W"));
    c.input_zero_point = -number32("INPUT_OFFSET");
    c.out = stage();
    return c;
  }
  Shape image() const {
    return {number("INPUT_BATCHES", 1), number("INPUT_H"), number("INPUT_W"), number("IN_CH")};
  }

  void conv() {
    auto c = convolution<graph::Conv2d>();
    const auto size = static_cast<std::int64_t>(weight_bytes().size());
    const std::int64_t per_group = size / (number("OUT_CH") * number("FILTER_Y") * number("FILTER_X"));
    c.groups = number("IN_CH") / per_group;
    finish(std::move(c),
           {input("input", image()),
            weights({number("OUT_CH"), number("FILTER_Y"), number("FILTER_X"), per_group}), bias()});
  }
  void depthwise() {
    finish(convolution<graph::DepthwiseConv2d>(),
           {input("input", image()), weights({1, number("FILTER_Y"), number("FILTER_X"), number("OUT_CH")}),
            bias()});
  }
  void fully_connected() {
    const std::int64_t depth = number("ACCUMULATION_DEPTH");
    finish(graph::FullyConnected{-number32("INPUT_OFFSET"), -number32("FILTER_OFFSET"), stage()},
           {input("input", {number("INPUT_BATCHES", 1), depth}), weights({number("OUT_CH"), depth}), bias()});
  }
  void add() {
    graph::Add a{number32("LEFT_SHIFT"),
                 -number32("INPUT1_OFFSET"),
                 -number32("INPUT2_OFFSET"),
                 {number32("INPUT1_MULT"), number32("INPUT1_SHIFT")},
                 {number32("INPUT2_MULT"), number32("INPUT2_SHIFT")},
                 stage()};
    const Shape shape = {number("DST_SIZE")};
    finish(std::move(a), {input("input1", shape), input("input2", shape)});
  }
  void mul() {
    const Shape shape = {number("DST_SIZE")};
    finish(graph::Mul{-number32("INPUT1_OFFSET"), -number32("INPUT2_OFFSET"), stage()},
           {input("input1", shape), input("input2", shape)});
  }
  void pad() {
    const auto dims = [&](const std::string& prefix) -> Shape {
      return {number(prefix + "_N"), number(prefix + "_H"), number(prefix + "_W"), number(prefix + "_C")};
    };
    finish(graph::Pad{dims("PRE_PAD"), dims("POST_PAD"), number32("PAD_VALUE")},
           {input("input_tensor", dims("INPUT"))});
  }
  template <class Pool>
  void pool() {
    Pool p;
    p.kernel = {number("FILTER_H"), number("FILTER_W")};
    p.stride = {number("STRIDE_H"), number("STRIDE_W")};
    std::tie(p.pads.top, p.pads.bottom) =
        pads(number("INPUT_H"), number("PADDING_H"), p.kernel.h, p.stride.h, 1, number("OUTPUT_H"));
    std::tie(p.pads.left, p.pads.right) =
        pads(number("INPUT_W"), number("PADDING_W"), p.kernel.w, p.stride.w, 1, number("OUTPUT_W"));
    p.min = number32("ACTIVATION_MIN");
    p.max = number32("ACTIVATION_MAX");
    finish(p, {input("input_tensor",
                     {number("BATCH_SIZE", 1), number("INPUT_H"), number("INPUT_W"), number("INPUT_C")})});
  }
  template <class Op>
  void elementwise() {
    const auto shape = [&](const std::string& n) -> Shape {
      return {number("BATCH_" + n), number("HEIGHT_" + n), number("WIDTH_" + n), number("CHANNEL_" + n)};
    };
    finish(Op{}, {input("input_tensor_1", shape("1")), input("input_tensor_2", shape("2"))});
  }
  /// The attribute "{ 3, 1, 2 }" as numbers.
  std::vector<std::int64_t> list(const std::string& key) const {
    std::string text = json["params"][key];
    std::ranges::replace_if(text, [](char c) { return c == '{' || c == '}' || c == ','; }, ' ');
    std::istringstream in(text);
    return {std::istream_iterator<std::int64_t>(in), {}};
  }
  void transpose() {
    const auto perm = list("PERM");
    Shape shape = list("IN_DIM");
    shape.resize(perm.size());  // further ones are 0
    finish(graph::Transpose{{perm.begin(), perm.end()}}, {input("input_tensor", std::move(shape))});
  }
  void transposed_conv() {
    const graph::TransposedConv2d op{{number("STRIDE_Y"), number("STRIDE_X")},
                                     {number("OUTPUT_H"), number("OUTPUT_W")},
                                     number("PAD_Y"),
                                     number("PAD_X"),
                                     -number32("INPUT_OFFSET"),
                                     0,
                                     stage()};
    const std::vector<TensorId> inputs = {
        input("input", image()),
        weights({number("OUT_CH"), number("FILTER_Y"), number("FILTER_X"), number("IN_CH")}), bias()};
    made = graph::add_transposed_conv2d(result.graph, "case", op, inputs);
  }
  void batch_matmul() {
    const graph::BatchMatMul op{number("ADJ_X") != 0,
                                number("ADJ_Y") != 0,
                                -number32("LHS_OFFSET"),
                                -number32("RHS_OFFSET"),
                                {{{number32("OUTPUT_MULTIPLIER"), number32("OUTPUT_SHIFT")}},
                                 number32("OUTPUT_OFFSET"),
                                 number32("ACTIVATION_MIN"),
                                 number32("ACTIVATION_MAX")}};
    const auto shape = [&](const std::string& side) -> Shape {
      return {number(side + "_BATCH"), number(side + "_HEIGHT"), number(side + "_ROWS"),
              number(side + "_COLS")};
    };
    const TensorId a = input("lhs_input_tensor", shape("LHS")), b = input("rhs_input_tensor", shape("RHS"));
    finish(op, {a, b});
  }
  void softmax() {
    finish(graph::Softmax{{number32("INPUT_MULT"), number32("INPUT_LEFT_SHIFT")}, number32("DIFF_MIN")},
           {input("input", {number("NUM_ROWS"), number("ROW_SIZE")})});
  }

  /// One operator; false for one that is not known.
  bool read(const std::string& op) {
    if (op == "conv")
      conv();
    else if (op == "depthwise_conv")
      depthwise();
    else if (op == "fully_connected")
      fully_connected();
    else if (op == "add")
      add();
    else if (op == "mul")
      mul();
    else if (op == "avg_pool")
      pool<graph::AvgPool2d>();
    else if (op == "max_pool")
      pool<graph::MaxPool2d>();
    else if (op == "maximum")
      elementwise<graph::Maximum>();
    else if (op == "minimum")
      elementwise<graph::Minimum>();
    else if (op == "transpose")
      transpose();
    else if (op == "transpose_conv")
      transposed_conv();
    else if (op == "batch_matmul")
      batch_matmul();
    else if (op == "pad")
      pad();
    else if (op == "softmax" && json["tensors"]["output_ref"]["type"] == "int8")
      softmax();
    else
      return false;
    return true;
  }
};

/// Layers of a network in order, each as a case: its numbers have the layer's name in front, and some another
/// name than in a case.
std::map<int, nlohmann::json> layers_of(const nlohmann::json& network) {
  static const std::map<std::string, std::string> kOperators = {{"CONV_2D", "conv"},
                                                                {"DEPTHWISE_CONV_2D", "depthwise_conv"},
                                                                {"AVERAGE_POOL_2D", "avg_pool"},
                                                                {"FULLY_CONNECTED", "fully_connected"},
                                                                {"SOFTMAX", "softmax"}};
  static const std::map<std::string, std::string> kNames = {{"OUT_ACTIVATION_MIN", "ACTIVATION_MIN"},
                                                            {"OUT_ACTIVATION_MAX", "ACTIVATION_MAX"},
                                                            {"PAD_H", "PADDING_H"},
                                                            {"PAD_W", "PADDING_W"},
                                                            {"IN_CH", "INPUT_C"},
                                                            {"MULT", "INPUT_MULT"},
                                                            {"SHIFT", "INPUT_LEFT_SHIFT"}};
  static const std::regex kParameter("([A-Z]\\w*?)_(\\d+)_([A-Z]\\w*)");
  static const std::regex kTensor("layer_(\\d+)_(?:conv_2d|depthwise_conv_2d|fully_connected)_(\\w+)");
  std::map<int, nlohmann::json> layers;
  std::smatch match;
  for (const auto& [key, value] : network["params"].items()) {
    if (!std::regex_match(key, match, kParameter) || !kOperators.contains(match[1])) continue;
    nlohmann::json& layer = layers[std::stoi(match[2])];
    layer["op"] = kOperators.at(match[1]);
    layer["params"][match[3]] = value;
    if (const auto name = kNames.find(match[3]); name != kNames.end()) layer["params"][name->second] = value;
  }
  for (const auto& [key, value] : network["tensors"].items())
    if (std::regex_match(key, match, kTensor)) layers.at(std::stoi(match[1]))["tensors"][match[2]] = value;
  for (auto& [number, layer] : layers) {
    layer["weights"] = network["weights"];
    layer["tensors"]["output_ref"]["type"] = "int8";
    if (layer["op"] != "fully_connected") continue;
    const std::int64_t outputs = layer["tensors"]["bias"]["size"], all = layer["tensors"]["weights"]["size"];
    layer["params"]["OUT_CH"] = outputs;
    layer["params"]["ACCUMULATION_DEPTH"] = all / outputs;
  }
  return layers;
}

bool read_network(Reader& reader) {
  const nlohmann::json network = reader.json;
  for (const auto& [number, layer] : layers_of(network)) {
    // The first layer's input is the network's.
    reader.json = layer;
    if (reader.made == graph::kNone) reader.json["tensors"]["input"] = network["tensors"]["input"];
    if (!reader.read(layer["op"])) return false;
  }
  reader.json = network;
  return true;
}

}  // namespace

std::optional<CmsisCase> cmsis_case(const std::filesystem::path& path) {
  Reader reader;
  std::ifstream(path) >> reader.json;
  const std::string op = reader.json["op"];
  if (reader.json["activation"] != "int8") return std::nullopt;
  if (!(op.starts_with("network") ? read_network(reader) : reader.read(op))) return std::nullopt;
  reader.finish();
  return std::move(reader.result);
}

std::string cmsis_kind(const std::filesystem::path& path) {
  nlohmann::json json;
  std::ifstream(path) >> json;
  std::string kind = json["op"];
  const std::string activation = json["activation"], weights = json["weights"];
  if (activation == "int8" && weights == "int8") {
    const bool wide = kind == "softmax" && json["tensors"]["output_ref"]["type"] != "int8";
    return wide ? kind + ", int8 to int16" : kind;
  }
  return kind + ", " + activation + " x " + weights.substr(0, 4);
}

}  // namespace vdla::testing
