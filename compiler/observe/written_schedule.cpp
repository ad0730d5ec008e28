// SPDX-License-Identifier: Apache-2.0
#include "compiler/observe/written_schedule.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "compiler/expr/tensor.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/script.h"
#include "support/inert.h"

namespace vdla::pipeline {
namespace {

constexpr std::string_view kHeading = "# schedule of ", kLayer = ", layer ";

struct Heading {
  std::string function, layer;
};

/// Reads a line that is a heading.
std::optional<Heading> heading_in(std::string_view line) {
  const std::size_t layer = line.find(kLayer);
  if (!line.starts_with(kHeading) || layer == std::string_view::npos) return std::nullopt;
  return Heading{std::string(line.substr(kHeading.size(), layer - kHeading.size())),
                 std::string(line.substr(layer + kLayer.size()))};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Returns the parts of a message between quotation marks, in order.
std::vector<std::string> quoted_in(std::string_view message) {
  std::vector<std::string> names;
  for (std::size_t begin = message.find('\''); begin != std::string_view::npos;) {
    const std::size_t end = message.find('\'', begin + 1);
    if (end == std::string_view::npos) break;
    names.emplace_back(message.substr(begin + 1, end - begin - 1));
    begin = message.find('\'', end + 1);
  }
  return names;
}

bool names(const std::vector<std::string>& words, const std::string& name) {
  return std::ranges::count(words, name) != 0;
}

/// How well a line of these words explains a message: it has the most of the names in it, and sizes follow
/// from where a stage is computed.
std::size_t fit(const std::vector<std::string>& words, const std::vector<std::string>& quoted) {
  const auto named =
      std::ranges::count_if(quoted, [&](const std::string& name) { return names(words, name); });
  return 2 * static_cast<std::size_t>(named) + (words[0] == "compute_at" && words[1] == quoted[0] ? 1 : 0);
}

}  // namespace

std::string schedule_heading(std::string_view function, std::string_view layer) {
  return std::string(kHeading) + std::string(function) + std::string(kLayer) + comment_text(layer);
}

WrittenSchedule::WrittenSchedule(std::string layer, std::string file, const std::string& text)
    : layer_(std::move(layer)), file_(std::move(file)) {
  const std::vector<std::string> lines = lines_of(text);
  std::optional<Heading> other;  // the first one of another layer
  std::size_t other_line = 0;
  bool headed = false, taken = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto heading = heading_in(lines[i])) {
      if (!headed && std::ranges::any_of(parts_, [](const Part& p) { return !p.text.empty(); }))
        refuse_line(parts_[0].line, "stands before the first line '" + std::string(kHeading) +
                                        "FUNCTION', which says what it is of");
      if (!headed) parts_.clear();
      headed = true;
      taken = heading->layer == comment_text(layer_);
      if (!taken && !other) {
        other = heading;
        other_line = i + 1;
      }
      if (taken) parts_.push_back({heading->function, i + 2, ""});
      continue;
    }
    if (!headed && parts_.empty() && !words_of(lines[i]).empty()) parts_.push_back({"", i + 1, ""});
    if (taken && !parts_.empty()) parts_.back().text += lines[i] + "\n";
  }
  if (parts_.empty() && other)
    refuse_line(other_line,
                "is a schedule of layer '" + other->layer + "', and is given to '" + layer_ + "'");
  if (parts_.empty())
    throw ScheduleFault(file_ + ": has no line of a schedule for '" + layer_ + "'; " + remedy());
}

const WrittenSchedule::Part* WrittenSchedule::find(std::string_view function, bool own) const {
  const auto found = std::ranges::find_if(
      parts_, [&](const Part& p) { return p.function.empty() ? own : p.function == function; });
  return found == parts_.end() ? nullptr : &*found;
}

schedule::Schedule WrittenSchedule::replayed(const std::vector<expr::Tensor>& outputs,
                                             std::string_view function, bool own) const {
  const Part* part = find(function, own);
  VDLA_CHECK(part) << file_ << " has no schedule of '" << function << "'";
  schedule::Schedule schedule(outputs);
  try {
    schedule::replay(schedule,
                     std::string(part->line - 1, '\n') + part->text);  // its lines have their numbers
  } catch (const UserError& error) {
    throw ScheduleFault(file_ + ": " + error.what() + "; " + remedy());
  }
  return schedule;
}

void WrittenSchedule::require_functions(const std::vector<std::string>& functions) const {
  for (const Part& part : parts_) {
    if (part.function.empty() || std::ranges::count(functions, part.function) != 0) continue;
    std::string names;
    for (const std::string& name : functions) names += (names.empty() ? "'" : ", '") + name + "'";
    refuse_line(part.line - 1,
                "layer '" + layer_ + "' has no function '" + part.function + "', needs " + names);
  }
}

std::size_t WrittenSchedule::line_about(std::vector<std::string> quoted) const {
  for (; !quoted.empty(); quoted.erase(quoted.begin())) {
    std::size_t best = 0, line = 0;
    for (const Part& part : parts_) {
      const std::vector<std::string> lines = lines_of(part.text);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::vector<std::string> words = words_of(lines[i]);
        if (!names(words, quoted[0]) || fit(words, quoted) < best) continue;
        best = fit(words, quoted);
        line = part.line + i;
      }
    }
    if (line != 0) return line;
  }
  return 0;
}

void WrittenSchedule::refuse(std::string_view rule) const {
  if (const std::size_t line = line_about(quoted_in(rule))) refuse_line(line, rule);
  throw ScheduleFault(file_ + ": " + std::string(rule) + "; " + remedy());
}

void WrittenSchedule::refuse_line(std::size_t line, std::string_view rule) const {
  throw ScheduleFault(file_ + ": line " + std::to_string(line) + ": " + std::string(rule) + "; " + remedy());
}

std::string WrittenSchedule::remedy() const {
  return "change it, or begin with what vdla explain --schedule prints of '" + layer_ + "'";
}

}  // namespace vdla::pipeline
