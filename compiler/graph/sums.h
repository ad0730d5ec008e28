// SPDX-License-Identifier: Apache-2.0
// Sums of integer operators stay inside int32, on their way through the output stage too.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// A scale of 256 or more becomes 256: any sum but 0 then reaches an end of int8 with either, and takes fewer
/// bits to the left. UserError, beginning with `where` and naming the node, where a sum can still pass int32
/// for some input: arithmetic would wrap in silence. Constant weights count as they are, other operands by
/// their type.
void limit_sums(Graph& graph, const std::string& where);

/// Sum of |weight - zero point|: times the largest input, the largest sum of products with these weights.
std::int64_t distance(std::span<const std::int8_t> weights, std::int32_t zero_point);

}  // namespace vdla::graph
