// SPDX-License-Identifier: Apache-2.0
// The graph as text that reads back. Comments run from '#' to the end of the line; statements follow each
// other in the order of the graph.
//
//   graph "digits"
//   input %0 "image": int8[1, 8, 8, 1] scale 0.0625 zero -128 model float32[1, 1, 8, 8] perm [0, 2, 3, 1]
//   const %1 "weights": int8[2, 1, 1, 1] = [3, -4]           # or splat 3, or 0x and the bytes in hex
//   const %2 "bias": int32[2] scale [0.5, 0.25] zero 0 axis 0 = splat 0
//   %3: int8[1, 8, 8, 2] scale 0.5 zero 0 = conv2d "conv1"(%0, %1, %2) {stride = [1, 1], out = {max = 6}}
//   output %3 model float32[1, 8, 8, 2]
//
// A value that is kept between runs has a line for the first one, and behind the outputs one for the next:
//
//   state %4 "delay": int8[1, 8] scale 0.5 zero 0 = splat 0
//   next %4 = %9
//
// Tensors have any name behind '%'; the one in quotes is the model's. An absent optional operand is '-'.
// The tensors of the model that a value stands for come behind its scales, where they are not one of its own
// name: of "a", "b" reordered "c" within "d" from "e" (support/source_tensor.h), or `own` for none.
//
//   %4 "conv1/taps": int8[1, 8, 8, 9] scale 0.5 zero 0 from "image" = im2col ...
//
// Attributes at their defaults are left out, and so may be what follows from the rest: names, a node's type
// (which is checked where it stands), what a model says of a port that is as the tensor is.
#pragma once

#include <string>
#include <string_view>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// Data of lists and constants beyond a few elements.
enum class Data : std::uint8_t {
  All,
  LeftOut,  ///< for people: shown as "...", which parse() refuses
};

/// Tensors that nothing reads are left out, the others are numbered in the order in which they appear.
std::string print(const Graph& graph, Data data = Data::All);

/// Throws UserError "line L, column C: ..." for text that is no graph, and for a graph that is not well
/// formed. print(parse(text)) is `text`, where print() wrote it.
Graph parse(std::string_view text);

/// The attributes of an operator that sizes and indices follow from, those of its arithmetic left out:
/// {"stride":[2,2]}, or nothing where all are at their defaults.
std::string print_sizes(const Op& op);

/// Whether the text begins as that of a graph does, comments apart.
bool is_graph_text(std::string_view text);

}  // namespace vdla::graph
