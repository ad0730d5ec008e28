// SPDX-License-Identifier: Apache-2.0
#include "compiler/knobs/choice.h"

#include <fmt/format.h>

#include <utility>

#include "support/error.h"

namespace vdla::pipeline {
namespace {

/// Space of all values but the taken one.
KnobSpace others(const Knob& knob, std::size_t taken) {
  const auto value = static_cast<std::int64_t>(taken) + 1;
  return {{knob},
          {.fits = [value](const Point& p) { return p[0] != value; },
           .estimate = [](const Point&) { return 1.0; },
           .normal = [](Point p) { return p; }}};
}

}  // namespace

std::string choices_of(const KnobBook& book) {
  std::string text;
  for (const KnobRecord& r : book.records)
    if (r.context == kPlanContext) text += r.task + "\n" + r.knobs + "\n";
  return text;
}

Choice::Choice(const KnobBook* book, std::string what, const std::string& knob,
               std::vector<std::string> values)
    : what_(std::move(what)), knob_{knob, static_cast<std::int64_t>(values.size()), std::move(values)} {
  const KnobRecord* record = book ? book->find(what_, kPlanContext) : nullptr;
  if (!record) return;
  record_ = record->record;
  try {
    wanted_ = static_cast<std::size_t>(KnobSpace({knob_}, {}).parse(record->knobs).at(0) - 1);
  } catch (const UserError& e) {
    refuse(e.what());
  }
}

std::string Choice::by() const {
  return wanted_ ? fmt::format(", as record {} of the knob book wants it", record_) : "";
}

void Choice::refuse(const std::string& why) const {
  throw UserError(
      fmt::format("record {} of the knob book, for the {}: {}; correct the record, or leave it out", record_,
                  what_, why));
}

KnobTask Choice::task(std::size_t taken) const {
  return {what_, what_, kPlanContext, others(knob_, taken), true};
}

}  // namespace vdla::pipeline
