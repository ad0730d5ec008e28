// SPDX-License-Identifier: Apache-2.0
// Choices of the graph's plan: what stays on chip, which layers are joined. A compile makes them by
// estimates; a book can make them otherwise, each by one knob whose values have names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compiler/knobs/book.h"
#include "compiler/knobs/task.h"

namespace vdla::pipeline {

/// The context of all choices: there is one plan.
inline constexpr const char* kPlanContext = "the graph's plan";

/// Choices of the plan in a book, as text: books that agree in it give a network the same layers in the same
/// contexts.
std::string choices_of(const KnobBook& book);

class Choice {
 public:
  /// `what` tells it from the others of its kind: "result of 'conv1'". UserError where the record that `book`
  /// (or null) has of it names none of the values.
  Choice(const KnobBook* book, std::string what, const std::string& knob, std::vector<std::string> values);

  /// Index of the value that the book wants; nothing where it has no record.
  std::optional<std::size_t> wanted() const { return wanted_; }
  /// ", as record 7 of the knob book wants it"; empty where it has none.
  std::string by() const;
  /// UserError: what the record wants cannot be had.
  [[noreturn]] void refuse(const std::string& why) const;

  /// For a search: what the compile did not take.
  KnobTask task(std::size_t taken) const;

 private:
  std::string what_;
  Knob knob_;
  std::optional<std::size_t> wanted_;
  std::int64_t record_ = 0;
};

}  // namespace vdla::pipeline
