// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/free_names.h"

namespace vdla::graph {

FreeNames::FreeNames(std::span<const Node> nodes) {
  for (const Node& node : nodes) taken_.insert(node.name);
}

std::string FreeNames::operator()(const std::string& wanted) {
  std::string name = wanted;
  int& n = last_number_.try_emplace(wanted, 1).first->second;
  while (!taken_.insert(name).second) name = wanted + "_" + std::to_string(++n);
  return name;
}

void FreeNames::give_back(const std::string& wanted, const std::string& name) {
  taken_.erase(name);
  if (int& n = last_number_.at(wanted); n > 1) --n;
}

}  // namespace vdla::graph
