// SPDX-License-Identifier: Apache-2.0
// Attributes and counts of ONNX's operators.
#pragma once

#include <onnx/onnx_pb.h>

#include <climits>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace vdla::import::onnx_schema {

// Name here, ONNX's code, the word of messages.
#define VDLA_ONNX_ATTRIBUTE_TYPES(X)                \
  X(Float, FLOAT, "a float")                        \
  X(Int, INT, "an integer")                         \
  X(String, STRING, "a string")                     \
  X(Tensor, TENSOR, "a tensor")                     \
  X(Graph, GRAPH, "a graph")                        \
  X(SparseTensor, SPARSE_TENSOR, "a sparse tensor") \
  X(TypeProto, TYPE_PROTO, "a type")                \
  X(Floats, FLOATS, "a list of floats")             \
  X(Ints, INTS, "a list of integers")               \
  X(Strings, STRINGS, "a list of strings")

enum class AttributeType : std::uint8_t {
#define VDLA_ENUM(name, code, text) name = onnx::AttributeProto::code,
  VDLA_ONNX_ATTRIBUTE_TYPES(VDLA_ENUM)
#undef VDLA_ENUM
};

/// Value of an attribute that a node leaves out; monostate where the operator's definition gives none.
using Default = std::variant<std::monostate, std::int64_t, float, std::string_view,
                             std::span<const std::int64_t>, std::span<const std::string_view>>;

struct Attribute {
  std::string_view name;
  AttributeType type = AttributeType::Int;
  bool required = false;
  Default otherwise = {};
};

/// Stands for a number of inputs or outputs without a limit.
constexpr int kAny = INT_MAX;

/// Numbers of inputs or outputs that a node may list. The first `named` of them must not be left out by an
/// empty name.
struct Counts {
  constexpr Counts(int exactly) : Counts(exactly, exactly) {}
  constexpr Counts(int least_, int most_) : Counts(least_, most_, least_) {}
  constexpr Counts(int least_, int most_, int named_) : least(least_), most(most_), named(named_) {}

  int least, most, named;
};

}  // namespace vdla::import::onnx_schema
