// SPDX-License-Identifier: Apache-2.0
// The nodes of an ONNX model to a graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/onnx_schema/schema.h"

namespace vdla::import {

/// Each node has its one meaning in the model's own types (compiler/import/tensor), unless a rule makes an
/// integer layer of it (compiler/import/integer). Errors begin with `where`.
graph::Graph import_network(const onnx::ModelProto& model, const std::string& where,
                            const ImportOptions& options);

/// Operators of a domain that the tables import; ONNX's own definitions add others.
std::vector<std::string_view> imported_operators(onnx_schema::Domain domain);

/// Operators of ai.onnx beside these that ONNX's library defines by others.
std::vector<std::string> defined_operators();

/// Type and extents of the values of a model that are known before or beside those of refused operators.
std::map<std::string, Array> known_values(const onnx::ModelProto& model, const std::string& where,
                                          const ImportOptions& options);

/// Type and extents of each value of a model by its name, and the elements of those that are known when the
/// model is compiled. Errors begin with `where`.
std::map<std::string, Array> values_of(const onnx::ModelProto& model, const std::string& where,
                                       const ImportOptions& options = {});

}  // namespace vdla::import
