// SPDX-License-Identifier: Apache-2.0
// Schedules that a person wrote for layers of a network (`vdla compile --schedule LAYER=FILE`): the texts of
// compiler/schedule/script.h take the place of what templates do.
//
//   # schedule of conv2d, layer conv1     <- begins the schedule of one function of a layer
//   split out x 4
//   ...
//
// A text without such a line is the schedule of the layer's own function.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace vdla::expr {
class Tensor;
}
namespace vdla::schedule {
class Schedule;
}

namespace vdla::pipeline {

/// The rule that a schedule of a layer breaks which other layers, or none, compute.
inline constexpr std::string_view kNoFunction = "the layer has no function of its own";

/// The line that begins the schedule of a function, without its end.
std::string schedule_heading(std::string_view function, std::string_view layer);

/// The fault of a written schedule: names the file, the line where one can be told, the rule and the remedy.
struct ScheduleFault : UserError {
  using UserError::UserError;
};

class WrittenSchedule {
 public:
  /// Reads the content of `file`. ScheduleFault for a text whose schedules are those of other layers.
  WrittenSchedule(std::string layer, std::string file, const std::string& text);

  const std::string& layer() const { return layer_; }
  const std::string& file() const { return file_; }
  /// "schedule by FILE"
  std::string by() const { return "schedule by " + file_; }

  /// Tells whether there is a schedule for the function; `own`: it is the layer's own function.
  bool is_for(std::string_view function, bool own) const { return find(function, own) != nullptr; }
  /// The schedule of the outputs as the text has it for that function. ScheduleFault for a line that names
  /// what is not there or breaks a rule.
  schedule::Schedule replayed(const std::vector<expr::Tensor>& outputs, std::string_view function,
                              bool own) const;
  /// ScheduleFault where a schedule is for another function than these, the layer's.
  void require_functions(const std::vector<std::string>& functions) const;

  /// Throws `rule`, which a compile found broken behind the schedule, as a ScheduleFault with the line that
  /// it is about.
  [[noreturn]] void refuse(std::string_view rule) const;
  /// Returns the result of `use`; its UserError is a fault of this schedule.
  template <class Use>
  auto blamed(const Use& use) const {
    try {
      return use();
    } catch (const ScheduleFault&) {
      throw;
    } catch (const UserError& error) {
      refuse(error.what());
    }
  }

 private:
  struct Part {
    std::string function;  ///< empty: the layer's own
    std::size_t line;      ///< number of its first line, from 1
    std::string text;
  };

  const Part* find(std::string_view function, bool own) const;
  /// The line that a message with these names between quotation marks is about; 0: none of them.
  std::size_t line_about(std::vector<std::string> quoted) const;
  [[noreturn]] void refuse_line(std::size_t line, std::string_view rule) const;
  std::string remedy() const;

  std::string layer_, file_;
  std::vector<Part> parts_;
};

/// Schedules by layer, as a report of the compile names them.
using WrittenSchedules = std::map<std::string, WrittenSchedule, std::less<>>;

/// Or null.
inline const WrittenSchedule* find_schedule(const WrittenSchedules& schedules, std::string_view layer) {
  const auto found = schedules.find(layer);
  return found == schedules.end() ? nullptr : &found->second;
}

/// Returns the result of `use`; where `schedule` is not null, a UserError is its fault.
template <class Use>
auto blamed(const WrittenSchedule* schedule, const Use& use) {
  return schedule ? schedule->blamed(use) : use();
}

}  // namespace vdla::pipeline
