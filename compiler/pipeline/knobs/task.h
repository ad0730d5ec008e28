// SPDX-License-Identifier: Apache-2.0
// What of a network a book can give knobs to, which is what a search tunes.
#pragma once

#include <string>

#include "compiler/pipeline/knobs/space.h"

namespace vdla::pipeline {

/// A layer, or a choice of the graph's plan (compiler/pipeline/knobs/choice.h).
struct KnobTask {
  std::string node, task, context;  ///< the latter as in KnobRecord
  KnobSpace space;
  bool plan = false;  ///< a choice: contexts of layers depend on it
};

}  // namespace vdla::pipeline
