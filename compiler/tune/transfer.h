// SPDX-License-Identifier: Apache-2.0
// What other searches measured, of other layers, networks and machines, as samples for a model: points of
// spaces with the same knobs. Models compare costs of one task alone, so that scales do not matter.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/tune/model.h"

namespace vdla::tune {

/// What a trial of another task is told to have cost.
struct TrialElsewhere {
  pipeline::Point point;
  double estimate = 0, cost = 0;
};

class Transfer {
 public:
  /// Of one task; `knobs` are those of its space. Tasks of fewer than four trials say nothing.
  void add(const std::vector<pipeline::Knob>& knobs, const std::vector<TrialElsewhere>& trials);

  std::size_t tasks() const { return tasks_.size(); }
  /// Of tasks whose knobs have the same names, and so have their choices; at most so many that a model is
  /// fitted in no time, spread over all that there are.
  std::vector<Sample> samples_for(const pipeline::KnobSpace& space) const;

 private:
  struct OfTask {
    std::vector<pipeline::Knob> knobs;
    std::vector<Sample> samples;
  };
  std::vector<OfTask> tasks_;
};

}  // namespace vdla::tune
