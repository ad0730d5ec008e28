// SPDX-License-Identifier: Apache-2.0
#include "tools/common/classes.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/error.h"
#include "tools/common/table.h"
#include "tools/data/tables.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

ordered_json class_json(const ClassNames& names, std::size_t index) {
  ordered_json json{{"class", index}};
  if (index < names.size()) json["name"] = names[index];
  return json;
}

}  // namespace

ClassNames read_class_names(const std::string& path, const runtime::Module& module) {
  if (path.empty()) return module.class_names;
  VDLA_CHECK_USER(!module.outputs.empty())
      << path << ": names classes, but model '" << module.model_name << "' has no output";
  const runtime::Port& output = module.outputs[0];
  VDLA_CHECK_USER(is_vector(output)) << path << ": names classes, but output '" << output.name << "' is "
                                     << runtime::to_string(output.model_shape)
                                     << ", not one value for each class";
  ClassNames names = read_names(path);
  const auto classes = static_cast<std::size_t>(runtime::element_count(output.model_shape));
  VDLA_CHECK_USER(names.size() == classes)
      << path << ": has " << names.size() << " names, output '" << output.name << "' has " << classes
      << " classes"
      << (names.size() + 1 == classes ? "; if class 0 is the background, give it a first line of its own"
                                      : "");
  return names;
}

ordered_json scores_json(const std::vector<Scored>& scores, const ClassNames& names) {
  ordered_json json = ordered_json::array();
  for (const Scored& s : scores) {
    json.push_back(class_json(names, s.index));
    json.back()["score"] = s.score;
    json.back()["value"] = s.value;
  }
  return json;
}

void ClassResults::add(std::size_t label, std::size_t seen) { ++seen_[label][seen]; }

std::vector<ClassResults::Row> ClassResults::rows() const {
  std::vector<Row> rows;
  for (const auto& [label, seen] : seen_) {
    Row row{.label = label};
    for (const auto& [what, count] : seen) {
      row.count += count;
      if (what == label) {
        row.correct = count;
      } else if (count > row.mistakes) {
        row.taken_for = what;
        row.mistakes = count;
      }
    }
    rows.push_back(row);
  }
  return rows;
}

ordered_json ClassResults::json(const ClassNames& names) const {
  ordered_json json = ordered_json::array();
  for (const Row& row : rows()) {
    json.push_back(class_json(names, row.label));
    json.back()["count"] = row.count;
    json.back()["correct"] = row.correct;
    if (row.mistakes == 0) continue;
    json.back()["most_confused_with"] = class_json(names, row.taken_for);
    json.back()["most_confused_with"]["count"] = row.mistakes;
  }
  return json;
}

void ClassResults::print(const ClassNames& names) const {
  ordered_json table = json(names);
  for (ordered_json& row : table) {
    const auto mistake = row.value("most_confused_with", ordered_json());
    row["text"] = class_text(names, row["class"]);
    row["share"] = row["correct"].get<double>() / row["count"].get<double>();
    row["taken_for"] = mistake.is_null() ? ""
                                         : fmt::format("{} ({})", class_text(names, mistake["class"]),
                                                       mistake["count"].get<std::size_t>());
  }
  print_table(table, "class|inputs|correct|%|most often taken for",
              "{text:<5+} {count:>7} {correct:>8} {share*100:>8.2f}  {taken_for}");
}

}  // namespace vdla::tools
