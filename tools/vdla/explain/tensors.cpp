// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explain/tensors.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/error.h"
#include "support/nearest.h"

namespace vdla::tools {
namespace {

/// Sentence about the fate of a tensor, for people; `value` is "the result of 'conv1'".
std::string sentence(Likeness likeness, const std::string& value) {
  switch (likeness) {
    case Likeness::Same:
      return value;
    case Likeness::Reordered:
      return value + ", in another order";
    case Likeness::Within:
      return "on the way to " + value;
    case Likeness::From:
      return value + " is made of it";
  }
  return "";
}

std::vector<TensorRow> all_rows(const runtime::Module& m) {
  std::vector<TensorRow> rows;
  const auto add = [&](const Sources& sources, const TensorRow& row) {
    for (const SourceTensor& s : sources) {
      rows.push_back(row);
      rows.back().tensor = s;
    }
  };
  for (const runtime::Port& port : m.inputs)
    add(m.tensors.at(port.tensor).sources, {{}, port.name, "input", "", -1});
  for (const runtime::NodeInfo& n : m.nodes) {
    add(n.sources, {{}, n.name, "result", n.place, n.step});
    add(n.constants, {{}, n.name, "constant", n.place, n.step});
  }
  return rows;
}

}  // namespace

void TensorFlags::add_to(CLI::App& command) {
  command.add_flag("--tensors", all,
                   "Print what became of each tensor of the model: the value that holds it, the layer that "
                   "computes it, or the constant made of it");
  command.add_option("--tensor", names, "NAME: the same for this tensor only; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

std::vector<TensorRow> TensorFlags::rows(const runtime::Module& module) const {
  if (!wanted()) return {};
  std::vector<TensorRow> rows = all_rows(module);
  std::vector<std::string> known;
  for (const TensorRow& row : rows) known.push_back(row.tensor.name);
  for (const std::string& name : names)
    VDLA_CHECK_USER(std::ranges::find(known, name) != known.end())
        << "'" << module.model_name << "' has no tensor '" << name << "'" << did_you_mean(name, known)
        << (known.empty() ? "; its module was made by a kit that did not keep their names: compile it again"
                          : " (vdla explain --tensors lists them)");
  if (!all)
    std::erase_if(rows,
                  [&](const TensorRow& row) { return std::ranges::count(names, row.tensor.name) == 0; });
  return rows;
}

nlohmann::ordered_json sources_json(const Sources& sources) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const SourceTensor& s : sources) json.push_back({{"name", s.name}, {"likeness", name_of(s.likeness)}});
  return json;
}

nlohmann::ordered_json tensors_json(const std::vector<TensorRow>& rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const TensorRow& row : rows) {
    json.push_back({{"name", row.tensor.name},
                    {"likeness", name_of(row.tensor.likeness)},
                    {"kind", row.kind},
                    {"value", row.value}});
    if (row.step >= 0) json.back()["step"] = row.step;
    if (!row.place.empty()) json.back()["place"] = row.place;
  }
  return json;
}

void print_tensors(const std::vector<TensorRow>& rows) {
  std::size_t widest = 0;
  for (const TensorRow& row : rows) widest = std::max(widest, row.tensor.name.size());
  for (const TensorRow& row : rows) {
    const std::string value = fmt::format("{} '{}'",
                                          row.kind == "input"    ? "the input"
                                          : row.kind == "result" ? "the result of"
                                                                 : "a constant of",
                                          row.value);
    const std::string where = row.step >= 0        ? fmt::format(" ({}, step {})", row.place, row.step)
                              : !row.place.empty() ? fmt::format(" ({})", row.place)
                                                   : "";
    fmt::print("{:<{}}  {}{}\n", row.tensor.name, widest, sentence(row.tensor.likeness, value), where);
  }
}

}  // namespace vdla::tools
