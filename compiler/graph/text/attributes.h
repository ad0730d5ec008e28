// SPDX-License-Identifier: Apache-2.0
// Attributes of operators as values that text shows. Private to this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "compiler/graph/op.h"
#include "compiler/graph/types.h"

namespace vdla::graph {

using Json = nlohmann::ordered_json;

/// An object of those that are not at their defaults.
Json attribute_values(const Op& op);

/// The operator of this name with these attributes, over inputs of these types. UserError names the operator
/// or the attribute.
Op make_op(std::string_view name, const Json& attributes, std::span<const DataType> inputs);

}  // namespace vdla::graph
