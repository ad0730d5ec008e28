// SPDX-License-Identifier: Apache-2.0
// Layers that were lowered before, for who compiles one network many times with other knobs: a layer whose
// knobs are the same is not lowered again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/device/kernel.h"

namespace vdla::pipeline {

/// A layer as code generation takes it.
struct LoweredLayer {
  std::vector<std::uint8_t> constants;
  std::optional<device::DeviceFunction> function;  ///< its `func` behind the rows of the table
};

/// Of a network, estimated with one row of the array and with all.
struct RowCycles {
  double one, all;
};

/// Of compiles that differ in their book and in nothing else (CompileOptions::layers).
class LayerCache {
 public:
  /// The layer of that node with these knobs (and what else it depends on); `make` lowers it where it is not
  /// there yet.
  template <class Make>
  const LoweredLayer& get(graph::NodeId node, const std::string& knobs, const Make& make) {
    const std::pair key(node, knobs);
    if (const auto found = layers_.find(key); found != layers_.end()) return found->second;
    return layers_.emplace(key, make()).first->second;
  }

  std::optional<RowCycles> rows;  ///< once it is known

 private:
  std::map<std::pair<graph::NodeId, std::string>, LoweredLayer> layers_;
};

}  // namespace vdla::pipeline
