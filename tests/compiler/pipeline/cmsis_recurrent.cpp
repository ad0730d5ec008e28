// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "compiler/import/tensor/integer_recurrent.h"
#include "tests/compiler/pipeline/cmsis_case.h"
#include "tests/compiler/pipeline/cmsis_reader.h"

namespace vdla::testing {
namespace {

using graph::DataType;
using graph::Multiplier;
using import::tensor::Composer;
using import::tensor::GateSums;
using import::tensor::Integers;
using import::tensor::Layer16;
using import::tensor::make_constant;
using import::tensor::Network;
using import::tensor::Shape;
using import::tensor::Value;

struct RecurrentReader : CmsisReader {
  CmsisCase result;
  Network network;
  Composer c{network, "case", "case: "};

  DataType type_of(const std::string& tensor) const {
    const std::string type = json["tensors"][tensor]["type"];
    return type == "int8"    ? DataType::Int8
           : type == "int16" ? DataType::Int16
           : type == "int32" ? DataType::Int32
                             : DataType::Int64;
  }
  graph::Bytes bytes(const std::string& tensor) const {
    const auto numbers = values<std::int64_t>(tensor);
    const auto count = static_cast<std::int64_t>(numbers.size());
    return *make_constant(type_of(tensor), {count}, numbers).data;
  }
  Value constant(const std::string& tensor, const Shape& shape) const {
    return make_constant(type_of(tensor), shape, values<std::int64_t>(tensor));
  }
  Multiplier multiplier(const std::string& name) const {
    return {number32(name + "_MULTIPLIER"), number32(name + "_SHIFT")};
  }

  /// A state that begins with `first` in each element.
  Value state(const std::string& name, DataType type, const Shape& shape, std::int64_t first) {
    graph::Graph& graph = network.graph();
    const graph::TensorId id = graph.add_tensor({name, type, shape, {}, nullptr});
    const Integers all(static_cast<std::size_t>(graph::element_count(shape)), first);
    graph.states.push_back({id, graph::kNone, make_constant(type, shape, all).data});
    return network.value_of(id);
  }
  void finish(const Value& output, const std::vector<Value>& states, const std::string& expected) {
    graph::Graph& graph = network.graph();
    graph.add_output(network.tensor(output, "case"));
    for (std::size_t i = 0; i < states.size(); ++i)
      graph.states[i].end = network.tensor(states[i], "next" + std::to_string(i));
    result.graph = network.take();
    result.graph.name = json["case"];
    result.expected = bytes(expected);
  }

  GateSums gates(const std::string& kind, std::int64_t columns, bool biased, std::int32_t zero_point) {
    const std::int64_t cells = number("HIDDEN_SIZE");
    GateSums sums;
    sums.zero_point = zero_point;
    std::vector<Value> weights, biases;
    for (const std::string gate : {"input", "forget", "output", "cell"}) {
      std::string upper = gate + "_GATE_" + kind;
      std::ranges::transform(upper, upper.begin(), [](unsigned char ch) { return std::toupper(ch); });
      sums.multipliers.push_back(multiplier(upper));
      weights.push_back(constant(gate + "_gate_" + kind + "_weights", {cells, columns}));
      biases.push_back(constant(gate + "_gate_bias", {cells}));
    }
    const DataType data = type_of("input_tensor");
    sums.layer = import::tensor::layer16(c, c.concat(weights, 0), 0,
                                         biased ? std::optional(c.concat(biases, 0)) : std::nullopt,
                                         data == DataType::Int8, data, zero_point);
    return sums;
  }
  void lstm() {
    const std::int64_t batch = number("BATCH_SIZE"), steps = number("TIME_STEPS"),
                       inputs = number("INPUT_SIZE"), cells = number("HIDDEN_SIZE");
    const bool steps_first = json["params"]["TIME_MAJOR"] == "true";
    const DataType type = type_of("input_tensor");
    import::tensor::IntegerLstm l;
    // The files have the number that is added to an element, and to a result.
    l.of_input = gates("input", inputs, true, -number32("INPUT_ZERO_POINT"));
    l.of_state = gates("hidden", cells, false, number32("OUTPUT_ZERO_POINT"));
    l.kept = multiplier("FORGET_TO_CELL");
    l.taken = multiplier("INPUT_TO_CELL");
    l.shown = multiplier("OUTPUT");
    l.cell_scale = import::tensor::tanh_scale(number32("CELL_SCALE_POWER"));
    l.cell_ends = {-number32("CELL_CLIP"), number32("CELL_CLIP")};
    import::tensor::LstmStates states{state("hidden", type, {batch, cells}, l.of_state.zero_point),
                                      state("cell", DataType::Int16, {batch, cells}, 0)};
    const Value x =
        network.input("x", type, steps_first ? Shape{steps, batch, inputs} : Shape{batch, steps, inputs});
    const auto turned = [&](const Value& v) { return steps_first ? v : c.transpose(v, {1, 0, 2}); };
    const Value y = import::tensor::integer_lstm(c, l, turned(x), states);
    result.inputs = {bytes("input_tensor")};
    finish(turned(y), {states.hidden, states.cell}, "output");
  }

  /// A run for each step of the sequence.
  void svdf() {
    const std::int64_t batch = number("INPUT_BATCHES"), inputs = number("INPUT_SIZE"),
                       filters = number("FEATURE_BATCHES"), steps = number("TIME_BATCHES"),
                       rank = number("RANK"), units = filters / rank;
    import::tensor::IntegerSvdf s;
    const DataType kept = type_of("weights_time");
    s.x_zero = number32("INPUT_OFFSET");
    s.features = import::tensor::layer16(c, constant("weights_feature", {filters, inputs}), 0, std::nullopt,
                                         true, DataType::Int8, s.x_zero);
    s.time = import::tensor::layer16(c, constant("weights_time", {units, rank * steps}), 0,
                                     constant("biases", {units}), true, kept, 0);
    s.in = {number32("MULTIPLIER_IN"), number32("SHIFT_1")};
    s.out = {{{number32("MULTIPLIER_OUT"), number32("SHIFT_2")}},
             number32("OUTPUT_OFFSET"),
             number32("OUT_ACTIVATION_MIN"),
             number32("OUT_ACTIVATION_MAX")};
    Value last = state("state", kept, {batch, filters * steps}, 0);
    const Value y =
        import::tensor::integer_svdf(c, s, network.input("x", DataType::Int8, {batch, inputs}), last);
    const graph::Bytes sequence = bytes("input_sequence");
    const auto each = batch * inputs;
    for (auto at = sequence.begin(); at != sequence.end(); at += each) {
      if (!result.inputs.empty()) result.before.push_back(result.inputs);
      result.inputs = {graph::Bytes(at, at + each)};
    }
    finish(y, {last}, "output_ref");
  }
};

}  // namespace

std::optional<CmsisCase> cmsis_recurrent(const std::filesystem::path& path) {
  RecurrentReader reader;
  std::ifstream(path) >> reader.json;
  const std::string op = reader.json["op"];
  if (op == "lstm")
    reader.lstm();
  else if (op == "svdf")
    reader.svdf();
  else
    return std::nullopt;
  return std::move(reader.result);
}

}  // namespace vdla::testing
