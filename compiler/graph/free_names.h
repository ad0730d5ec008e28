// SPDX-License-Identifier: Apache-2.0
// Names for the nodes that passes and importers make, none of which another node has.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "compiler/graph/graph.h"

namespace vdla::graph {

class FreeNames {
 public:
  FreeNames() = default;
  explicit FreeNames(std::span<const Node> nodes);

  /// The wanted name, or with a number behind it where it is taken; taken from now on.
  std::string operator()(const std::string& wanted);

  /// `name` is free again: the last one given for `wanted`.
  void give_back(const std::string& wanted, const std::string& name);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> last_number_;  ///< last number of a name that several nodes want
};

}  // namespace vdla::graph
