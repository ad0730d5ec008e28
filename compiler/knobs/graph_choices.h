// SPDX-License-Identifier: Apache-2.0
// Choices of passes over a graph, where a knob book can choose otherwise.
#pragma once

#include <string>
#include <vector>

#include "compiler/knobs/task.h"

namespace vdla::pipeline {

struct GraphChoice {
  std::string node;  ///< node that it is about, as the pass leaves it
  std::string note;  ///< for people: what the book wants there; empty where it says nothing
  KnobTask task;
};
using GraphChoices = std::vector<GraphChoice>;

}  // namespace vdla::pipeline
