// SPDX-License-Identifier: Apache-2.0
// Places of islands: what costs less, or what a book wants.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/knobs/book.h"
#include "compiler/knobs/choice.h"
#include "compiler/knobs/graph_choices.h"
#include "compiler/options/options.h"
#include "compiler/pipeline/place/islands.h"
#include "compiler/pipeline/place/placement.h"

namespace vdla::pipeline {

/// A network rewritten for where its nodes run, and that placement.
struct Placed {
  graph::Graph graph;
  Placement nodes;
  double moved_seconds = 0;  ///< as in CompiledModel
};

void add_choices(const GraphChoices& choices, Placed& placed);

class IslandPlaces {
 public:
  /// A book, or null.
  explicit IslandPlaces(const KnobBook* book) : book_(book) {}

  std::string text_of(const std::vector<Island>& islands) const;

  /// Notes at the nodes of islands that stay what these cost, and adds those of others to `kept_off`; whether
  /// there is one.
  bool move_to_cpu(const std::vector<Island>& islands, Placed& placed, KeptOff& kept_off);

 private:
  static constexpr std::size_t kCpu = 0, kVdla = 1;  // values of the choice

  Choice choice_of(const Island& island) const;
  bool on_device(const Island& island) const;

  const KnobBook* book_;
  GraphChoices moved_;  ///< choices of islands that are none any more
  double moved_seconds_ = 0;
};

}  // namespace vdla::pipeline
