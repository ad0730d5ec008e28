// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/name_index.h"

#include <string_view>

#include "compiler/import/onnx_order.h"

namespace vdla::quantize {

NameIndex::NameIndex(const onnx::GraphProto& graph) {
  for (int n = 0; n < graph.node_size(); ++n) {
    for (const std::string& output : graph.node(n).output()) producers_.emplace(output, n);
    std::vector<std::string_view> reads;
    import::add_reads(graph.node(n), reads);
    for (const std::string_view read : reads) {
      std::vector<int>& readers = consumers_[std::string(read)];
      if (readers.empty() || readers.back() != n) readers.push_back(n);
    }
  }
  for (int i = 0; i < graph.initializer_size(); ++i) constants_.emplace(graph.initializer(i).name(), i);
  for (const auto& output : graph.output()) outputs_.insert(output.name());
}

std::vector<int> NameIndex::consumers(const std::string& name) const {
  const auto found = consumers_.find(name);
  return found == consumers_.end() ? std::vector<int>{} : found->second;
}

int NameIndex::number(const Numbers& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? -1 : found->second;
}

}  // namespace vdla::quantize
