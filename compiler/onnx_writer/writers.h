// SPDX-License-Identifier: Apache-2.0
// Writers of the graph's operators, a file for each family. Each appends nodes that give Model::output().
#pragma once

#include <optional>
#include <vector>

#include "compiler/onnx_writer/model.h"

namespace vdla::onnx_writer {

/// A function of elements.
void write_map(Model& m, const graph::Node& node, const graph::Map& op);
/// Elements at other places.
void write_view(Model& m, const graph::Node& node, const graph::View& op);

void write_window(Model& m, const graph::Node& node, const graph::ReduceWindow& op);
/// A constant of one number for each output channel is added; kNone: nothing is.
void write_convolve(Model& m, const graph::Node& node, const graph::Convolve& op, TensorId bias);
void write_matmul(Model& m, const graph::Node& node, const graph::MatMul& op, TensorId bias);

/// Padding in an average of windows.
enum class Padding : std::uint8_t { IsLeftOut, Counts };
/// The average that a sum of windows divided by the constant is; nothing: it is none.
std::optional<Padding> padding_of_average(const Model& m, const graph::Node& sum,
                                          const graph::ReduceWindow& op, TensorId divisor);
void write_average(Model& m, const graph::Node& sum, const graph::ReduceWindow& op, Padding padding);

/// The operator of two arguments that the function is, in their order.
std::optional<expr::BinaryOp> binary_of(const graph::Map& op);
/// Whether the function is this one of its argument.
bool is_function(const graph::Map& op, expr::Function function);
/// Whether the function is x0 - log(x1).
bool is_less_logarithm(const graph::Map& op);

}  // namespace vdla::onnx_writer
