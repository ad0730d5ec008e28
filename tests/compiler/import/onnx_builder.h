// SPDX-License-Identifier: Apache-2.0
// Small ONNX models for tests, written node by node.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/import.h"

namespace vdla::testing {

class OnnxModel {
 public:
  /// A model of operator set 13, the first with scales by channel.
  OnnxModel() {
    model_.mutable_graph()->set_name("small");
    model_.add_opset_import()->set_version(13);
  }

  void opset(std::int64_t version) { model_.mutable_opset_import(0)->set_version(version); }

  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::string& output) {
    onnx::NodeProto& n = *model_.mutable_graph()->add_node();
    n.set_op_type(op);
    n.set_name(output + "_node");
    for (const std::string& i : inputs) n.add_input(i);
    n.add_output(output);
    return n;
  }
  static void ints(onnx::NodeProto& n, const std::string& name, const std::vector<std::int64_t>& values) {
    auto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::INTS);
    for (std::int64_t v : values) a.add_ints(v);
  }
  static void integer(onnx::NodeProto& n, const std::string& name, std::int64_t value) {
    auto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::INT);
    a.set_i(value);
  }
  onnx::TensorProto& constant(const std::string& name, int type, const std::vector<std::int64_t>& shape,
                              const std::vector<double>& values) {
    onnx::TensorProto& t = *model_.mutable_graph()->add_initializer();
    t.set_name(name);
    t.set_data_type(type);
    for (std::int64_t d : shape) t.add_dims(d);
    for (double v : values) {
      if (type == onnx::TensorProto::FLOAT)
        t.add_float_data(static_cast<float>(v));
      else if (type == onnx::TensorProto::INT64)
        t.add_int64_data(static_cast<std::int64_t>(v));
      else
        t.add_int32_data(static_cast<std::int32_t>(v));
    }
    return t;
  }
  /// Constants name_s and name_z.
  void scale(const std::string& name, double s, int z, int type = onnx::TensorProto::INT8) {
    constant(name + "_s", onnx::TensorProto::FLOAT, {}, {s});
    constant(name + "_z", type, {}, {static_cast<double>(z)});
  }
  /// x -> QuantizeLinear -> DequantizeLinear -> result, named x_dq.
  std::string qdq(const std::string& x, double s, int z, int type = onnx::TensorProto::INT8) {
    scale(x, s, z, type);
    node("QuantizeLinear", {x, x + "_s", x + "_z"}, x + "_q");
    node("DequantizeLinear", {x + "_q", x + "_s", x + "_z"}, x + "_dq");
    return x + "_dq";
  }
  /// int8 weights behind a DequantizeLinear along axis 0; one scale per entry.
  std::string weights(const std::string& name, const std::vector<std::int64_t>& shape,
                      const std::vector<double>& values, const std::vector<double>& scales, int axis = 0) {
    constant(name, onnx::TensorProto::INT8, shape, values);
    const std::vector<std::int64_t> per =
        scales.size() == 1 ? std::vector<std::int64_t>{}
                           : std::vector<std::int64_t>{static_cast<std::int64_t>(scales.size())};
    constant(name + "_s", onnx::TensorProto::FLOAT, per, scales);
    constant(name + "_z", onnx::TensorProto::INT8, per, std::vector<double>(scales.size(), 0));
    integer(node("DequantizeLinear", {name, name + "_s", name + "_z"}, name + "_dq"), "axis", axis);
    return name + "_dq";
  }
  void input(const std::string& name, const std::vector<std::int64_t>& shape,
             onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT) {
    describe(*model_.mutable_graph()->add_input(), name, shape, type);
  }
  /// An output of whatever shape its operator makes.
  void output(const std::string& name, onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT) {
    onnx::ValueInfoProto& info = *model_.mutable_graph()->add_output();
    info.set_name(name);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
  }

  onnx::ModelProto& proto() { return model_; }
  graph::Bytes bytes() const {
    const std::string text = model_.SerializeAsString();
    const auto view = std::as_bytes(std::span(text));
    return {view.begin(), view.end()};
  }

 private:
  static void describe(onnx::ValueInfoProto& info, const std::string& name,
                       const std::vector<std::int64_t>& shape, onnx::TensorProto::DataType element) {
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(element);
    type.mutable_shape();
    for (std::int64_t d : shape) {
      auto& dimension = *type.mutable_shape()->add_dim();
      if (d > 0)
        dimension.set_dim_value(d);
      else
        dimension.set_dim_param("n");
    }
  }

  onnx::ModelProto model_;
};

/// The model as the compiler imports it.
inline graph::Graph import(const OnnxModel& m, const import::ImportOptions& options = {}) {
  return import::import_onnx(m.bytes(), "small.onnx", options);
}

/// Operators of the nodes, in order.
inline std::vector<std::string> ops(const graph::Graph& g) {
  std::vector<std::string> result;
  for (const graph::Node& n : g.nodes) result.emplace_back(name_of(n.op));
  return result;
}

}  // namespace vdla::testing
