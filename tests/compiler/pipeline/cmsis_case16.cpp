// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <tuple>

#include "compiler/import/tensor/integers16.h"
#include "tests/compiler/pipeline/cmsis_case.h"
#include "tests/compiler/pipeline/cmsis_reader.h"

namespace vdla::testing {
namespace {

using graph::DataType;
using graph::Multiplier;
using import::tensor::Composer;
using import::tensor::Integers;
using import::tensor::Layer16;
using import::tensor::Network;
using import::tensor::Shape;
using import::tensor::Value;
using import::tensor::WindowAttributes;

struct Reader16 : CmsisReader {
  CmsisCase result;
  Network network;
  Composer c{network, "case", "case: "};

  static graph::Bytes bytes(const std::vector<std::int16_t>& values) {
    const auto* at = reinterpret_cast<const std::byte*>(values.data());
    return {at, at + values.size() * sizeof(std::int16_t)};
  }
  Value input(const std::string& tensor, const Shape& shape) {
    result.inputs.push_back(bytes(values<std::int16_t>(tensor)));
    return network.input(tensor, DataType::Int16, shape);
  }
  Value image(const std::string& tensor, const char* batch, const char* channels) {
    const Shape shape = {number(batch, 1), number("INPUT_H"), number("INPUT_W"), number(channels)};
    return c.transpose(input(tensor, shape), {0, 3, 1, 2});
  }
  import::tensor::Ends ends(const std::string& prefix) const {
    return {number32(prefix + "ACTIVATION_MIN"), number32(prefix + "ACTIVATION_MAX")};
  }
  import::tensor::Result16 stage(const std::string& prefix) const { return {"Case", ends(prefix), {}}; }
  std::vector<Multiplier> multipliers() const {
    const std::string name = first_of({"output_mult", "output_multiplier"});
    if (name.empty())
      return {{number32("OUTPUT_MULTIPLIER", number32("OUTPUT_MULT")), number32("OUTPUT_SHIFT")}};
    const auto m = values(name), shift = values("output_shift");
    std::vector<Multiplier> result;
    result.reserve(m.size());
    for (std::size_t i = 0; i < m.size(); ++i) result.push_back({m[i], shift[i]});
    return result;
  }
  /// A layer without a bias says by the name of its case that it adds up in int32.
  Layer16 layer(const Shape& shape, std::size_t outputs) {
    const Value w = import::tensor::make_constant(DataType::Int8, shape, values<std::int64_t>("weights"));
    const std::string name = first_of({"biases", "bias"});
    const std::string which = json["case"];
    bool narrow = which.find("xint32") != std::string::npos;
    std::optional<Value> bias;
    if (!name.empty()) {
      const auto b = values<std::int64_t>(name);
      narrow = json["tensors"][name]["type"] == "int32";
      bias = import::tensor::make_constant(narrow ? DataType::Int32 : DataType::Int64,
                                           {static_cast<std::int64_t>(b.size())}, b);
    }
    return import::tensor::layer16(c, w, outputs, bias, narrow);
  }
  WindowAttributes window(const Integers& kernel, const Integers& stride, const Integers& dilation,
                          const Integers& before) const {
    WindowAttributes a{kernel, stride, dilation, before, {0, 0}, {0, 0}};
    const std::int64_t in[] = {number("INPUT_H"), number("INPUT_W")};
    const std::int64_t out[] = {number("OUTPUT_H"), number("OUTPUT_W")};
    for (std::size_t d = 0; d < 2; ++d)
      a.after[d] = pads(in[d], before[d], kernel[d], stride[d], dilation[d], out[d]).second;
    return a;
  }
  /// The axes of weights O I H W, and as many groups.
  void convolve(const Layer16& layer, const std::vector<int>& order, std::int64_t groups) {
    const WindowAttributes a =
        window({number("FILTER_Y"), number("FILTER_X")}, {number("STRIDE_Y"), number("STRIDE_X")},
               {number("DILATION_Y", 1), number("DILATION_X", 1)}, {number("PAD_Y"), number("PAD_X")});
    const Value x = c.cast(image("input", "INPUT_BATCHES", "IN_CH"), layer.weights.type);
    const Value sums = import::tensor::convolve(c, x, c.transpose(layer.weights, order), a, groups);
    finish_image(import::tensor::steps16(c, layer, sums, 1, multipliers(), stage("OUT_")));
  }
  void conv() {
    const Layer16 l = layer({number("OUT_CH"), number("FILTER_Y"), number("FILTER_X"), number("IN_CH")}, 0);
    convolve(l, {0, 3, 1, 2}, 1);
  }
  void depthwise() {
    convolve(layer({1, number("FILTER_Y"), number("FILTER_X"), number("OUT_CH")}, 3), {3, 0, 1, 2},
             number("IN_CH"));
  }
  void fully_connected() {
    const std::int64_t depth = number("ACCUMULATION_DEPTH");
    const Layer16 l = layer({number("OUT_CH"), depth}, 0);
    const Value x = c.cast(input("input", {number("INPUT_BATCHES", 1), depth}), l.weights.type);
    const Value sums = c.matmul(x, l.weights, false, true);
    finish(import::tensor::steps16(c, l, sums, 1, multipliers(), stage("OUT_")));
  }
  void batch_matmul() {
    const auto side = [&](const char* tensor, const std::string& name) {
      return c.cast(input(tensor, {number(name + "_BATCH"), number(name + "_HEIGHT"), number(name + "_ROWS"),
                                   number(name + "_COLS")}),
                    DataType::Int64);
    };
    const Value a = side("lhs_input_tensor", "LHS"), b = side("rhs_input_tensor", "RHS");
    const Value sums = c.matmul(a, b, number("ADJ_X") != 0, number("ADJ_Y") != 0);
    finish(import::tensor::steps16(c, {}, sums, 0, multipliers(), stage("")));
  }
  template <class Pooled>
  void pool(const Pooled& pooled) {
    const WindowAttributes a =
        window({number("FILTER_H"), number("FILTER_W")}, {number("STRIDE_H"), number("STRIDE_W")}, {1, 1},
               {number("PADDING_H"), number("PADDING_W")});
    finish_image(pooled(c, image("input_tensor", "BATCH_SIZE", "INPUT_C"), a, stage("")));
  }
  void elementwise(const import::tensor::Body& body) {
    const Shape shape = {number("DST_SIZE")};
    const Value a = input("input1", shape), b = input("input2", shape);
    finish(c.map("Case", {a, b}, body));
  }
  void add() {
    elementwise(import::tensor::sum_of_two16({{number32("INPUT1_MULT"), number32("INPUT1_SHIFT")},
                                              {number32("INPUT2_MULT"), number32("INPUT2_SHIFT")},
                                              multipliers()[0]},
                                             false, ends("OUT_")));
  }
  void mul() { elementwise(import::tensor::product_of_two16(multipliers()[0], ends("OUT_"))); }
  void softmax() {
    finish(import::tensor::softmax16(c, input("input", {number("NUM_ROWS"), number("ROW_SIZE")}),
                                     {number32("INPUT_MULT"), number32("INPUT_LEFT_SHIFT")},
                                     {"Case", {}, {}}));
  }
  void softmax_of_int8() {
    const auto elements = values<std::int8_t>("input");
    const auto* at = reinterpret_cast<const std::byte*>(elements.data());
    result.inputs.push_back({at, at + elements.size()});
    const Value x = network.input("input", DataType::Int8, {number("NUM_ROWS"), number("ROW_SIZE")});
    const graph::Softmax parameters{{number32("INPUT_MULT"), number32("INPUT_LEFT_SHIFT")},
                                    number32("DIFF_MIN")};
    finish(import::tensor::softmax16_of_int8(c, x, parameters, {"Case", {}, {}}));
  }
  void finish_image(const Value& image) { finish(c.transpose(image, {0, 2, 3, 1})); }
  void finish(const Value& value) {
    network.graph().add_output(network.tensor(value, "case"));
    result.graph = network.take();
    result.expected = bytes(values<std::int16_t>(first_of({"output_ref", "output"})));
  }
};

}  // namespace

std::optional<CmsisCase> cmsis_case16(const std::filesystem::path& path) {
  Reader16 reader;
  std::ifstream(path) >> reader.json;
  const std::string op = reader.json["op"];
  const std::string kind = cmsis_kind(path);
  if (reader.json["activation"] != "int16" && kind != "softmax, int8 to int16") return std::nullopt;
  if (op == "conv")
    reader.conv();
  else if (op == "depthwise_conv")
    reader.depthwise();
  else if (op == "fully_connected")
    reader.fully_connected();
  else if (op == "add")
    reader.add();
  else if (op == "mul")
    reader.mul();
  else if (op == "avg_pool")
    reader.pool(import::tensor::average16);
  else if (op == "max_pool")
    reader.pool(import::tensor::largest16);
  else if (op == "batch_matmul")
    reader.batch_matmul();
  else if (op == "softmax")
    kind == "softmax, int8 to int16" ? reader.softmax_of_int8() : reader.softmax();
  else
    return std::nullopt;
  reader.result.graph.name = reader.json["case"];
  return std::move(reader.result);
}

}  // namespace vdla::testing
