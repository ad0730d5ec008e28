// SPDX-License-Identifier: Apache-2.0
// Measurements of other searches, of other layers, networks and machines, as samples for a model: points of
// spaces with the same knobs. Models compare costs of one task alone, so that scales do not matter.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/tune/model.h"

namespace vdla::tune {

/// Trial of another task, with its cost.
struct TrialElsewhere {
  pipeline::Point point;
  double estimate = 0, cost = 0;
};

class Transfer {
 public:
  /// Adds trials of one task; `knobs` are those of its space. Tasks of fewer than four trials say nothing.
  void add(const std::vector<pipeline::Knob>& knobs, const std::vector<TrialElsewhere>& trials);

  std::size_t tasks() const { return tasks_.size(); }
  /// Samples of tasks whose knobs and choices have the same names; few enough that a model is fitted in no
  /// time, spread over all that there are.
  std::vector<Sample> samples_for(const pipeline::KnobSpace& space) const;

 private:
  struct OfTask {
    std::vector<pipeline::Knob> knobs;
    std::vector<Sample> samples;
  };
  std::vector<OfTask> tasks_;
};

}  // namespace vdla::tune
