// SPDX-License-Identifier: Apache-2.0
#include "compiler/knobs/task.h"

#include <fmt/format.h>

#include "support/error.h"

namespace vdla::pipeline {

BookKnobs knobs_of(const KnobBook& book, const KnobTask& task) {
  const KnobRecord* record = book.find(task.task, task.context);
  if (!record)
    return {std::nullopt,
            fmt::format("default knobs: the book has no record of '{}' with {}", task.task, task.context)};
  const std::string whose = fmt::format("record {} of the knob book, for {}: ", record->record, task.node);
  Point point;
  try {
    point = task.space.parse(record->knobs);
  } catch (const UserError& e) {
    throw BookFault(whose + e.what() + "; correct the record, or leave it out");
  }
  const std::string text = task.space.text(point);
  if (!task.space.legal(point))
    throw BookFault(
        whose + text +
        " finds no room on this machine, or another point stands for it; tune again, or leave the "
        "record out");
  return {point, fmt::format("tuned knobs, record {}: {}", record->record, text)};
}

}  // namespace vdla::pipeline
