// SPDX-License-Identifier: Apache-2.0
// Inputs of an ONNX model: ports of the graph, or constants that the caller binds.
#pragma once

#include <onnx/onnx_pb.h>

#include <set>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/tensor/network.h"

namespace vdla::import {

class ModelInputs {
 public:
  /// Errors begin with `where`.
  ModelInputs(tensor::Network& network, const onnx::GraphProto& graph, const ImportOptions& options,
              std::string where);

  /// The value of a declared input; a free batch becomes 1.
  tensor::Value read(const onnx::ValueInfoProto& info);
  /// UserError where the caller binds an input that was not read, or gives it a shape.
  void require_bound() const;
  /// Puts the graph's ports in the model's order: those of inputs that are quantised are made when they are
  /// read.
  void sort(graph::Graph& graph) const;

 private:
  /// The input in the type in which its elements are kept.
  tensor::Value read_stored(const onnx::ValueInfoProto& info);

  tensor::Network& network_;
  const ImportOptions& options_;
  std::string where_;
  std::set<std::string> quantised_;  ///< inputs that one QuantizeLinear or DequantizeLinear reads
  std::vector<std::string> names_;
};

}  // namespace vdla::import
