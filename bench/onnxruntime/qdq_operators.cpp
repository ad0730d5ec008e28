// SPDX-License-Identifier: Apache-2.0
// The quantised operators of an ONNX QDQ network one by one, beside ONNX Runtime (operators.mjs drives this):
// `split` writes each operator as a model of its own, and the network with every activation as an output;
// `compare` runs the operators on this kit's CPU target over the inputs that ONNX Runtime's run of the
// network gave them, and counts by how many steps of the output's scale its result and ours differ.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "kit/module.h"
#include "runtime/session/session.h"
#include "support/error.h"
#include "support/json_dump.h"

namespace vdla::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

void save(const onnx::ModelProto& model, const fs::path& file) {
  std::ofstream(file, std::ios::binary) << model.SerializeAsString();
}

/// A model's nodes by what they make.
class Network {
 public:
  explicit Network(const std::string& file) {
    const graph::Bytes bytes = import::read_file(file);
    if (!model_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      throw UserError("'" + file + "' is no ONNX model");
    onnx::shape_inference::InferShapes(model_);
    for (const auto& node : model_.graph().node())
      for (const auto& output : node.output()) makers_[output] = &node;
    for (const auto& constant : model_.graph().initializer()) constants_[constant.name()] = &constant;
    for (const auto* list : {&model_.graph().value_info(), &model_.graph().input(), &model_.graph().output()})
      for (const auto& value : *list) values_[value.name()] = &value;
  }

  const onnx::ModelProto& model() const { return model_; }
  const onnx::NodeProto* maker(const std::string& tensor) const {
    const auto found = makers_.find(tensor);
    return found == makers_.end() ? nullptr : found->second;
  }
  const onnx::TensorProto* constant(const std::string& tensor) const {
    const auto found = constants_.find(tensor);
    return found == constants_.end() ? nullptr : found->second;
  }
  const onnx::ValueInfoProto& value(const std::string& tensor) const {
    const auto found = values_.find(tensor);
    if (found == values_.end()) throw UserError("no shape is known of tensor '" + tensor + "'");
    return *found->second;
  }
  /// Whether a DequantizeLinear gives back what a QuantizeLinear made: an activation.
  bool is_activation(const onnx::NodeProto& node) const {
    const onnx::NodeProto* from = node.op_type() == "DequantizeLinear" ? maker(node.input(0)) : nullptr;
    return from && from->op_type() == "QuantizeLinear" && !constant(from->input(0));
  }

 private:
  onnx::ModelProto model_;
  std::map<std::string, const onnx::NodeProto*> makers_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::map<std::string, const onnx::ValueInfoProto*> values_;
};

/// Nodes between dequantised activations and the quantised one that `last` gives back.
class Operator {
 public:
  Operator(const Network& network, const onnx::NodeProto& last) : network_(network) {
    add(*network.maker(last.input(0)));
    put(last);
    *model_.mutable_graph()->add_output() = network.value(last.output(0));
    model_.set_ir_version(network.model().ir_version());
    *model_.mutable_opset_import() = network.model().opset_import();
    model_.mutable_graph()->set_name(last.output(0));
  }

  const onnx::ModelProto& model() const { return model_; }
  const std::vector<std::string>& inputs() const { return inputs_; }
  /// Float operators, "Conv Relu".
  const std::string& what() const { return what_; }

 private:
  void add(const onnx::NodeProto& node) {
    if (!nodes_.insert(&node).second) return;
    for (const std::string& input : node.input()) {
      const onnx::NodeProto* from = network_.maker(input);
      if (const auto* constant = network_.constant(input)) {
        put(*constant);
      } else if (from && network_.is_activation(*from)) {
        add_input(*from);
      } else if (from) {
        add(*from);
      } else if (!input.empty() && given_.insert(input).second) {
        *model_.mutable_graph()->add_input() = network_.value(input);
        inputs_.push_back(input);
      }
    }
    put(node);
    static const std::set<std::string> silent{"QuantizeLinear", "DequantizeLinear", "Constant"};
    if (!silent.contains(node.op_type())) what_ += (what_.empty() ? "" : " ") + node.op_type();
  }

  /// Adds an input of float numbers that are quantised and given back as in the network.
  void add_input(const onnx::NodeProto& dequantize) {
    const onnx::NodeProto& quantize = *network_.maker(dequantize.input(0));
    if (!nodes_.insert(&dequantize).second) return;
    if (nodes_.insert(&quantize).second) {
      const std::string name = dequantize.output(0) + ".given";
      onnx::ValueInfoProto& input = *model_.mutable_graph()->add_input();
      input = network_.value(dequantize.output(0));
      input.set_name(name);
      inputs_.push_back(dequantize.output(0));
      onnx::NodeProto own = quantize;
      own.set_input(0, name);
      put(own);
    }
    put(dequantize);
  }

  void put(const onnx::TensorProto& constant) {
    if (given_.insert(constant.name()).second) *model_.mutable_graph()->add_initializer() = constant;
  }
  void put(const onnx::NodeProto& node) {
    for (const std::string& input : node.input())
      if (const auto* constant = network_.constant(input)) put(*constant);
    *model_.mutable_graph()->add_node() = node;
  }

  const Network& network_;
  onnx::ModelProto model_;
  std::set<const onnx::NodeProto*> nodes_;
  std::set<std::string> given_;
  std::vector<std::string> inputs_;
  std::string what_;
};

double scale_of(const Network& network, const onnx::NodeProto& dequantize) {
  const onnx::TensorProto* scale = network.constant(dequantize.input(1));
  if (!scale) throw UserError("the scale of '" + dequantize.output(0) + "' is no initializer");
  if (scale->float_data_size() > 0) return scale->float_data(0);
  float value = 0;
  std::memcpy(&value, scale->raw_data().data(), sizeof value);
  return value;
}

int split(const std::string& file, const fs::path& folder) {
  const Network network(file);
  fs::create_directories(folder);
  onnx::ModelProto all = network.model();
  std::set<std::string> shown;
  for (const auto& output : all.graph().output()) shown.insert(output.name());
  ordered_json list = ordered_json::array();
  for (const auto& node : network.model().graph().node()) {
    if (!network.is_activation(node)) continue;
    if (shown.insert(node.output(0)).second)
      *all.mutable_graph()->add_output() = network.value(node.output(0));
    const Operator one(network, node);
    if (one.what().empty()) continue;
    const std::string name = fmt::format("operator_{:03}.onnx", list.size());
    save(one.model(), folder / name);
    list.push_back({{"file", name},
                    {"what", one.what()},
                    {"inputs", one.inputs()},
                    {"output", node.output(0)},
                    {"scale", scale_of(network, node)}});
  }
  save(all, folder / "all.onnx");
  std::ofstream(folder / "operators.json") << json_dump(list, 1) << "\n";
  fmt::print("{}: {} operators\n", file, list.size());
  return 0;
}

std::vector<float> read_floats(const fs::path& file) {
  const graph::Bytes bytes = import::read_file(file.string());
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

/// FILE.inI and FILE.out hold the samples one after the other.
int compare(const fs::path& folder) {
  const auto list = ordered_json::parse(std::ifstream(folder / "operators.json"));
  std::size_t elements = 0, apart = 0;
  long worst = 0;
  fmt::print("{:40} {:>10} {:>10} {:>8}\n", "operator", "elements", "one step", "most");
  for (const auto& row : list) {
    const std::string name = row["file"];
    runtime::Session session(
        kit::compile_for_cpu(import::import_onnx(import::read_file((folder / name).string()), name)), nullptr,
        {});
    const std::vector<float> want = read_floats(folder / (name + ".out"));
    std::vector<std::vector<float>> inputs;
    for (std::size_t i = 0; i < row["inputs"].size(); ++i)
      inputs.push_back(read_floats(folder / fmt::format("{}.in{}", name, i)));
    std::size_t differ = 0, done = 0;
    long most = 0;
    while (done < want.size()) {
      std::vector<runtime::Bytes> given;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto size =
            static_cast<std::size_t>(runtime::element_count(session.module().inputs.at(i).model_shape));
        const std::size_t sample = done * static_cast<std::size_t>(inputs[i].size()) / want.size() / size;
        const auto bytes = std::as_bytes(std::span(inputs[i]).subspan(sample * size, size));
        given.emplace_back(bytes.begin(), bytes.end());
      }
      const runtime::Bytes out = session.run_model(given).outputs.at(0);
      std::vector<float> have(out.size() / sizeof(float));
      std::memcpy(have.data(), out.data(), out.size());
      for (std::size_t i = 0; i < have.size(); ++i) {
        const long steps = std::labs(std::lround((have[i] - want.at(done + i)) / row["scale"].get<double>()));
        differ += steps != 0;
        most = std::max(most, steps);
      }
      done += have.size();
    }
    fmt::print("{:40} {:10} {:10} {:8}\n", row["what"].get<std::string>(), done, differ, most);
    elements += done;
    apart += differ;
    worst = std::max(worst, most);
  }
  fmt::print("{:40} {:10} {:10} {:8}\n", "all", elements, apart, worst);
  return worst > 1;
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  CLI::App app("The operators of a QDQ network one by one beside ONNX Runtime; operators.mjs calls it");
  app.require_subcommand(1);
  std::string model, folder;
  CLI::App* split = app.add_subcommand("split", "write each operator as a model of its own");
  split->add_option("model", model, "ONNX QDQ file")->required();
  split->add_option("folder", folder, "where the models go")->required();
  CLI::App* compare =
      app.add_subcommand("compare", "run the operators, compare; exit status 1 beyond one step");
  compare->add_option("folder", folder, "that of split, with ONNX Runtime's inputs and results")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    return *split ? vdla::bench::split(model, folder) : vdla::bench::compare(folder);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_qdq_operators: error: {}\n", e.what());
    return 1;
  }
}
