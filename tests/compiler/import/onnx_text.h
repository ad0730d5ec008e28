// SPDX-License-Identifier: Apache-2.0
// Small ONNX models for tests, written as text of ONNX's parser.
#pragma once

#include <gmock/gmock.h>
#include <onnx/defs/parser.h>

#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "support/error.h"

namespace vdla::testing {

inline graph::Graph graph_in_set(std::int64_t set, const std::string& text) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(set);
  onnx::OperatorSetIdProto& microsoft = *model.add_opset_import();
  microsoft.set_domain("com.microsoft");
  microsoft.set_version(1);
  const auto status = onnx::OnnxParser::Parse(*model.mutable_graph(), text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  const std::string file = model.SerializeAsString();
  return import::import_onnx(std::as_bytes(std::span(file)), "text.onnx");
}

/// Output `i` of a graph of constants.
template <class T = float>
std::vector<T> values_in_set(std::int64_t set, const std::string& text, std::size_t i = 0) {
  const graph::Graph g = graph_in_set(set, text);
  const auto values = g.tensor(g.outputs.at(i).tensor).values<T>();
  return {values.begin(), values.end()};
}

inline auto near(float v) { return ::testing::FloatNear(v, 1e-5F); }

inline graph::Shape shape_of(std::int64_t set, const std::string& text) {
  return graph_in_set(set, text).outputs.at(0).model_shape;
}

inline void refused(std::int64_t set, const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { graph_in_set(set, text); },
              ::testing::ThrowsMessage<UserError>(::testing::HasSubstr(message)))
      << text;
}

}  // namespace vdla::testing
