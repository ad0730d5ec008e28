// SPDX-License-Identifier: Apache-2.0
// What tests look at in an ONNX file of the zoo.
#pragma once

#include <gmock/gmock.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <map>
#include <string>

#include "compiler/import/import.h"

namespace vdla::testing {

inline onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

/// By ONNX's own checker and its inference of types and shapes.
inline void expect_valid(const std::string& bytes) {
  const onnx::ShapeInferenceOptions strict{true, 1, true};  // check types, throw, follow data
  onnx::ModelProto model = parsed(bytes);
  EXPECT_NO_THROW(onnx::checker::check_model(model)) << model.graph().name();
  EXPECT_NO_THROW(onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), strict))
      << model.graph().name();
}

inline graph::Graph imported(const std::string& bytes) {
  return import::import_onnx(std::as_bytes(std::span(bytes)), "zoo");
}

/// How many nodes of each operator a graph has.
inline std::map<std::string, int> operators(const graph::Graph& g) {
  std::map<std::string, int> result;
  for (const graph::Node& node : g.nodes) ++result[std::string(name_of(node.op))];
  return result;
}

/// FNV-1a, 64 bits.
inline std::uint64_t digest(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : bytes) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace vdla::testing
