// SPDX-License-Identifier: Apache-2.0
// Graphs of floats as ONNX models.
#pragma once

#include <string>

#include "compiler/graph/graph.h"

namespace vdla::onnx_writer {

/// The bytes of an ONNX file that computes what the graph does. Inputs and outputs keep their names, and so
/// does each value that holds the elements of a tensor of the model. UserError, beginning with `where`:
/// integers with a scale, values that are kept between runs, functions that ONNX lacks.
graph::Bytes to_onnx(const graph::Graph& graph, const std::string& where);

}  // namespace vdla::onnx_writer
