// SPDX-License-Identifier: Apache-2.0
// Why quantised operators stay in floats.
#pragma once

#include <string>
#include <unordered_map>

namespace vdla::import::tensor {

/// A node of the model, as messages name it.
struct ModelNode {
  std::string op, name;
  std::string text() const { return op + " '" + name + "'"; }
};

class Reasons {
 public:
  /// States why the node's operator stays in floats; `reason` completes "it ...". The first reason holds.
  void add(const ModelNode& node, const std::string& reason) {
    sentences_.emplace(node.name, node.text() + " stays in floats: it " + reason);
  }

  /// A node of a function's body has the reason of the node that the function defines.
  void add_inner(const std::string& inner, const std::string& outer) {
    if (const auto known = sentences_.find(outer); known != sentences_.end())
      sentences_.emplace(inner, known->second);
  }

  /// The sentence of a node; empty where there is none.
  std::string of(const std::string& node) const {
    const auto known = sentences_.find(node);
    return known == sentences_.end() ? "" : known->second;
  }

 private:
  std::unordered_map<std::string, std::string> sentences_;
};

}  // namespace vdla::import::tensor
