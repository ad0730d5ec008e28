// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx_suite/onnx_between.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "support/error.h"

namespace vdla::tools {
namespace {

constexpr int kFirstSet = 10;  ///< first set that has QuantizeLinear

bool standard(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

int version_of(const std::string& op, int set) {
  const auto* schema = onnx::OpSchemaRegistry::Schema(op, set, "");
  return schema == nullptr ? 0 : schema->SinceVersion();
}

/// Raises the operator set to the first with QuantizeLinear, where no operator of the model means anything
/// else there.
void raise_set(onnx::ModelProto& model) {
  for (auto& set : *model.mutable_opset_import()) {
    if (!standard(set.domain()) || set.version() >= kFirstSet) continue;
    const int own = static_cast<int>(set.version());
    for (const auto& n : model.graph().node())
      VDLA_CHECK_USER(version_of(n.op_type(), own) == version_of(n.op_type(), kFirstSet))
          << "operator set " << own << " has no QuantizeLinear, and " << n.op_type() << " of set "
          << kFirstSet << " is another";
    set.set_version(kFirstSet);
  }
}

class Writer {
 public:
  Writer(onnx::ModelProto& model, const Borders& borders)
      : model_(model), g_(*model.mutable_graph()), borders_(borders) {}

  void write() {
    raise_set(model_);
    bind();
    const auto nodes = g_.node();
    g_.clear_node();
    for (const auto& [name, border] : borders_.inputs) quantise(name, name + "/in", border);
    const int first = g_.node_size();
    for (const auto& n : nodes) *g_.add_node() = n;
    for (int i = first; i < g_.node_size(); ++i)
      for (std::string& input : *g_.mutable_node(i)->mutable_input())
        if (borders_.inputs.contains(input)) input += "/in";
    const int last = g_.node_size();
    for (int i = 0; i < g_.output_size(); ++i)
      if (borders_.outputs.at(static_cast<std::size_t>(i)))
        leave(g_.output(i).name(), first, last, *borders_.outputs[static_cast<std::size_t>(i)]);
  }

 private:
  /// Inputs that are bound become initialisers.
  void bind() {
    auto& inputs = *g_.mutable_input();
    inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                                [&](const auto& info) { return borders_.bound.contains(info.name()); }),
                 inputs.end());
    for (const auto& [name, array] : borders_.bound) {
      onnx::TensorProto& t = constant(name, onnx_type(array.type), array.shape);
      t.set_raw_data(array.data->data(), array.data->size());
    }
  }

  static int onnx_type(graph::DataType type) {
    using graph::DataType;
    switch (type) {
      case DataType::Float32:
        return onnx::TensorProto::FLOAT;
      case DataType::Int64:
        return onnx::TensorProto::INT64;
      case DataType::Int32:
        return onnx::TensorProto::INT32;
      case DataType::Int8:
        return onnx::TensorProto::INT8;
      case DataType::UInt8:
        return onnx::TensorProto::UINT8;
      case DataType::Bool:
        return onnx::TensorProto::BOOL;
      default:
        VDLA_CHECK_USER(false) << "binds an input of " << graph::name_of(type)
                               << ", needs float32, int64, int32, int8, uint8 or bool";
        return 0;
    }
  }

  onnx::TensorProto& constant(const std::string& name, int type, const graph::Shape& shape) {
    onnx::TensorProto& t = *g_.add_initializer();
    t.set_name(name);
    t.set_data_type(type);
    for (const std::int64_t d : shape) t.add_dims(d);
    return t;
  }

  void node(const char* op, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& n = *g_.add_node();
    n.set_op_type(op);
    n.set_name(output + "/" + op);
    for (const std::string& i : inputs) n.add_input(i);
    n.add_output(output);
  }

  void quantise(const std::string& from, const std::string& to, const Border& border) {
    const std::string scale = to + "/scale", zero = to + "/zero";
    constant(scale, onnx::TensorProto::FLOAT, {}).add_float_data(border.scale);
    constant(zero, onnx_type(borders_.type), {}).add_int32_data(static_cast<std::int32_t>(border.zero_point));
    node("QuantizeLinear", {from, scale, zero}, to + "/quantised");
    node("DequantizeLinear", {to + "/quantised", scale, zero}, to);
  }

  /// Nodes [first, last) write and read the output under another name.
  void leave(const std::string& output, int first, int last, const Border& border) {
    const std::string raw = output + "/out";
    for (int i = first; i < last; ++i) {
      for (std::string& name : *g_.mutable_node(i)->mutable_output())
        if (name == output) name = raw;
      for (std::string& name : *g_.mutable_node(i)->mutable_input())
        if (name == output) name = raw;
    }
    quantise(raw, output, border);
  }

  onnx::ModelProto& model_;
  onnx::GraphProto& g_;
  const Borders& borders_;
};

}  // namespace

graph::Bytes between_qdq(std::span<const std::byte> bytes, const Borders& borders) {
  onnx::ModelProto model;
  VDLA_CHECK_USER(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      << "the " << bytes.size() << " bytes of the model do not parse";
  Writer(model, borders).write();
  const std::string text = model.SerializeAsString();
  const auto written = std::as_bytes(std::span(text));
  return {written.begin(), written.end()};
}

}  // namespace vdla::tools
