// SPDX-License-Identifier: Apache-2.0
// The number of rows of the array that layers use. With one, each pixel has an entry of its own: then pieces
// of convolutions can be joined and windows read what lies on chip; with all, the array makes as many pixels
// at once (decision 58).
#pragma once

#include <string>

#include "compiler/knobs/choice.h"
#include "compiler/options/options.h"
#include "compiler/pipeline/place/island_places.h"

namespace vdla::pipeline {

class ArrayRows {
 public:
  /// `prepared`: the network behind the passes that a compile runs before it places nodes. UserError for a
  /// wish that the machine cannot grant.
  ArrayRows(const graph::Graph& prepared, const CompileOptions& options);

  /// Options for a machine that has no more than these.
  CompileOptions options(CompileOptions options) const;
  void add_note(Placed& placed) const;

 private:
  Choice choice() const { return {book_, "rows of the array", "used", {"one", "all"}}; }

  const KnobBook* book_;  ///< or null
  unsigned all_, used_;
  std::string note_;
};

}  // namespace vdla::pipeline
