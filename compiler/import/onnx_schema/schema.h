// SPDX-License-Identifier: Apache-2.0
// ONNX's operators as facts: which operator sets have an operator, and with which attributes and how many
// inputs and outputs. The tables of the domain ai.onnx have the facts of ONNX's published operator
// documentation (Changelog.md of version 1.23), that of com.microsoft those of ONNX Runtime's
// (ContribOperators.md). Private to compiler/import and compiler/quantize.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/import/onnx_schema/schema_types.h"

namespace vdla::import::onnx_schema {

/// Last operator set that the tables cover.
constexpr std::int64_t kNewestOperatorSet = 27;

/// Domains that the tables cover.
enum class Domain : std::uint8_t { Onnx, Microsoft };

/// The domain that a node states; nothing for one without a table.
std::optional<Domain> domain_of(const onnx::NodeProto& node);

/// One version of an operator: all operator sets from `since` to the next version have it.
struct Version {
  std::string_view op;
  int since;
  std::span<const Attribute> attributes;
  Counts inputs, outputs;
};

/// The version that operator set `opset` has; nothing where the set lacks the operator. Operators of
/// com.microsoft have one version, whatever the set.
std::optional<Version> find(std::string_view op, std::int64_t opset, Domain domain = Domain::Onnx);

/// Operator sets that define an operator of ai.onnx anew, ascending.
std::vector<int> sets_of(std::string_view op);

/// Null where the version does not have the attribute.
const Attribute* attribute(const Version& version, std::string_view name);

/// The attribute with its default; nothing where it has none.
std::optional<onnx::AttributeProto> by_default(const Attribute& attribute);

/// Throws a UserError that begins with `where` unless operator set `opset` has the node's operator with just
/// these attributes (name, type, required ones present) and this number of inputs and outputs. The node must
/// be of a domain with a table.
void check(const onnx::NodeProto& node, std::int64_t opset, const std::string& where);

}  // namespace vdla::import::onnx_schema
