// SPDX-License-Identifier: Apache-2.0
// Tunable part of a network: a book can give knobs to it.
#pragma once

#include <optional>
#include <string>

#include "compiler/knobs/book.h"
#include "compiler/knobs/space.h"
#include "support/error.h"

namespace vdla::pipeline {

/// A layer, or a choice of the graph's plan (compiler/knobs/choice.h).
struct KnobTask {
  std::string node, task, context;  ///< the latter as in KnobRecord
  KnobSpace space;
  bool plan = false;  ///< a choice: contexts of layers depend on it
};

/// Knobs of a layer that a book was asked for.
struct BookKnobs {
  std::optional<Point> point;  ///< nothing: the default ones
  std::string note;            ///< for people: which record, or that there is none
};

/// Error of a book's record of a task that cannot be had.
struct BookFault : UserError {
  using UserError::UserError;
};

/// BookFault for a record whose knobs are none of the task's, or find no room.
BookKnobs knobs_of(const KnobBook& book, const KnobTask& task);

}  // namespace vdla::pipeline
