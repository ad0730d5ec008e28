// SPDX-License-Identifier: Apache-2.0
// Operators as tensor expressions: exactly what each node computes, in integers, as the kernel contract says.
// Every target and the interpreter run these (or, on the device, blocked forms that are tested against them).
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/node_expr.h"

namespace vdla::graph {

/// Expression of a node. Where given[i] is defined, it reads that tensor in the place of a placeholder, and
/// inputs[i] is it.
NodeExpr express(const Graph& graph, const Node& node, const std::vector<expr::Tensor>& given = {});

/// How the sums of an int8 layer are taken as dot products of four elements, for CPUs.
struct DotLayout {
  std::int64_t tile;   ///< output channels whose weights lie together; a divisor of all of them
  bool unsigned_data;  ///< the input plus 128 as U8, for instructions that multiply u8 by i8
};

/// Whether express_dots() takes the node: a convolution without groups or a dense layer, whose weights are
/// known and have zero point 0.
bool takes_dots(const Graph& graph, const Node& node);
/// Shape of the tensor that express_dots() reads for input 0: its own, or with pixels and channels in one
/// dimension.
Shape dot_input_shape(const Graph& graph, const Node& node);
/// Dot products that the innermost loop of the reduction runs over.
std::int64_t dot_steps(const Graph& graph, const Node& node);
/// Expression as of express(), over weights that are packed for it: a stage that arranges the input (where it
/// is not as wanted), the sums [..][channels / tile][tile], and the output stage. Parameters are the node's
/// inputs but the first.
NodeExpr express_dots(const Graph& graph, const Node& node, const DotLayout& layout,
                      const expr::Tensor& input);

/// Whether express_sums_of_bytes() takes the node: what takes_dots(), unless its channels are so few that
/// filling them up would be most of the work.
bool takes_sums_of_bytes(const Graph& graph, const Node& node);
/// Expression as of express(), of products of bytes as they lie in memory, zero point included: its part of
/// the sums is in the bias. Channels are filled up to whole fours, so that four terms of a sum are one word
/// of each operand. Stages and parameters as of express_dots(), the sums in the shape of the result.
NodeExpr express_sums_of_bytes(const Graph& graph, const Node& node, const expr::Tensor& input);

/// As express() of a node whose operator is `op`, a product of a and b as they lie. `rounds`: factors that
/// are f32 are rounded to what tensor cores take of them (Function::RoundTf32), which is another value.
NodeExpr express_product(const Graph& graph, const Node& node, const MatMul& op, const expr::Tensor& a,
                         const expr::Tensor& b, bool rounds);

/// Whether express_packed_taps() takes the node: a depthwise convolution with one result for each channel,
/// whose weights are known and have zero point 0.
bool takes_packed_taps(const Graph& graph, const Node& node);
/// Expression as of express(), as dot products of four taps of a column: a stage that packs the input's,
/// [images][rows] [fours of kernel rows][columns][channels] of four bytes in an I32, the sums, and the output
/// stage. Parameters as for express_dots().
NodeExpr express_packed_taps(const Graph& graph, const Node& node, const expr::Tensor& input);

/// Computation of a ConvolveBlocks: its sums, which read the data with its border as a stage of its own.
expr::Tensor convolve_blocks(const ConvolveBlocks& op, const expr::Tensor& data, const expr::Tensor& weights);

}  // namespace vdla::graph
