// SPDX-License-Identifier: Apache-2.0
// Layers that were lowered before, for a program that compiles one network many times with other knobs: a
// layer whose knobs are the same is not lowered again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/vdla/templates/kernel.h"

namespace vdla::pipeline {

/// A layer as code generation takes it.
struct LoweredLayer {
  std::vector<std::uint8_t> constants;
  std::optional<device::DeviceFunction> function;  ///< its `func` after the rows of the table
};

/// Cycles of a network, estimated with one row of the array and with all.
struct RowCycles {
  double one, all;
};

/// Cache of compiles that differ in their book and in nothing else (CompileOptions::layers).
class LayerCache {
 public:
  /// The layer of that node with these knobs (and what else it depends on); `make` lowers it where it is not
  /// there any more or yet. Until the next call.
  template <class Make>
  const LoweredLayer& get(graph::NodeId node, const std::string& knobs, const Make& make) {
    std::list<Known>& layers = layers_[node];
    const auto found = std::ranges::find(layers, knobs, &Known::knobs);
    if (found != layers.end()) {
      layers.splice(layers.begin(), layers, found);
    } else {
      layers.push_front({knobs, make()});
      if (layers.size() > kMost) layers.pop_back();
    }
    return layers.front().layer;
  }

  std::optional<RowCycles> rows;  ///< once it is known

 private:
  struct Known {
    std::string knobs;
    LoweredLayer layer;
  };
  /// Layers that are kept of a node, those asked for last: a search asks for the best ones again, and not for
  /// those of thousands of trials.
  static constexpr std::size_t kMost = 16;

  std::map<graph::NodeId, std::list<Known>> layers_;  ///< asked for last in front
};

}  // namespace vdla::pipeline
