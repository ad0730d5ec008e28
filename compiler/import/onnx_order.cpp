// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_order.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace vdla::import {

void add_reads(const onnx::NodeProto& node, std::vector<std::string_view>& reads) {
  for (const std::string& input : node.input()) reads.emplace_back(input);
  for (const onnx::AttributeProto& a : node.attribute()) {
    for (const onnx::NodeProto& inner : a.g().node()) add_reads(inner, reads);
    for (const auto& output : a.g().output()) reads.emplace_back(output.name());
  }
}

std::vector<int> order_of_nodes(const onnx::GraphProto& g) {
  std::unordered_map<std::string_view, int> writer;
  for (int i = 0; i < g.node_size(); ++i)
    for (const std::string& output : g.node(i).output())
      if (!output.empty()) writer.emplace(output, i);
  std::vector<int> order;
  std::vector<bool> placed(static_cast<std::size_t>(g.node_size())), open(placed);
  const auto writers_of = [&](int node) {
    std::vector<std::string_view> reads;
    add_reads(g.node(node), reads);
    std::vector<int> result;
    for (const std::string_view name : reads)
      if (const auto found = writer.find(name); found != writer.end()) result.push_back(found->second);
    return result;
  };
  // A row of nodes that wait for each other, as a chain is longer than the stack is deep.
  std::vector<int> row;
  for (int first = 0; first < g.node_size(); ++first) {
    row.push_back(first);
    while (!row.empty()) {
      const int node = row.back();
      const auto at = static_cast<std::size_t>(node);
      const std::size_t waiting = row.size();
      if (!placed[at] && !open[at]) {
        open[at] = true;
        for (const int other : writers_of(node))
          if (!placed[static_cast<std::size_t>(other)] && !open[static_cast<std::size_t>(other)])
            row.push_back(other);
        if (row.size() > waiting) continue;
      }
      if (!placed[at]) order.push_back(node);
      placed[at] = true;
      row.pop_back();
    }
  }
  return order;
}

}  // namespace vdla::import
