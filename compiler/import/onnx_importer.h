// SPDX-License-Identifier: Apache-2.0
// The nodes of an ONNX model to a graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>

#include "compiler/import/import.h"

namespace vdla::import {

/// Each node has its one meaning in the model's own types (compiler/import/tensor), unless a rule makes an
/// integer layer of it (compiler/import/integer). Errors begin with `where`.
graph::Graph import_network(const onnx::ModelProto& model, const std::string& where,
                            const ImportOptions& options);

/// Type and extents of each value of a model by its name, and the elements of those that are known when the
/// model is compiled. Errors begin with `where`.
std::map<std::string, Array> values_of(const onnx::ModelProto& model, const std::string& where);

}  // namespace vdla::import
