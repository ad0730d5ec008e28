// SPDX-License-Identifier: Apache-2.0
// Index of the node that makes and the nodes that read each name of a graph, reads of bodies (If, Loop, Scan)
// included, valid while the graph stays as
// it is.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <onnx/onnx_pb.h>

namespace vdla::quantize {

class NameIndex {
 public:
  explicit NameIndex(const onnx::GraphProto& graph);

  /// Number of the node that makes a tensor, or of the initialiser of that name; -1: none.
  int producer(const std::string& name) const { return number(producers_, name); }
  int constant(const std::string& name) const { return number(constants_, name); }
  /// Numbers of the nodes that read a tensor, each once.
  std::vector<int> consumers(const std::string& name) const;
  bool is_read(const std::string& name) const { return consumers_.contains(name); }
  bool is_output(const std::string& name) const { return outputs_.contains(name); }

 private:
  using Numbers = std::unordered_map<std::string, int>;
  static int number(const Numbers& numbers, const std::string& name);

  Numbers producers_, constants_;
  std::unordered_map<std::string, std::vector<int>> consumers_;
  std::unordered_set<std::string> outputs_;
};

}  // namespace vdla::quantize
