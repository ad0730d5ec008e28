// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx_suite/onnx_suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <random>

#include "compiler/import/file.h"
#include "support/path.h"
#include "support/refused_as.h"
#include "tools/onnx_suite/onnx_suite_between.h"

namespace vdla::tools {
namespace {

using graph::DataType;

void run_data_set(SuiteCase& result, const graph::Bytes& model, const std::filesystem::path& folder,
                  const SuiteOptions& options) {
  // The import comes first: it says of values that are no tensors that they are out of scope.
  const DataSet data = read_data_set(model, result.name, folder);
  result.bound.clear();
  const graph::Graph graph = import_case(model, result.name, data, result.bound);
  const Ran ran = run_case(graph, inputs_of(graph, data), options);
  result.steps = std::max(result.steps, ran.steps);
  const std::string wrong = compare_case(graph, ran, read_tensors(folder, "output"), options);
  if (wrong.empty()) return;
  result.verdict = Verdict::Fail;
  result.message = wrong;
}

std::string operator_of(const std::filesystem::path& folder) {
  const auto summary = refused_as<BadCase>(
      [&] { return import::summarise_onnx(import::read_file(folder / "model.onnx"), folder.string()); });
  if (summary.operators.size() == 1) return summary.operators[0];
  constexpr std::string_view kExpanded = "_expanded";
  std::string plain = folder.string();
  if (plain.ends_with(kExpanded)) {
    plain.resize(plain.size() - kExpanded.size());
    if (is_there(plain)) return operator_of(plain) + " (expanded)";
  }
  return fmt::format("{}", fmt::join(summary.operators, ", "));
}

/// Some of the cases, in order.
std::vector<std::filesystem::path> drawn(std::vector<std::filesystem::path> all,
                                         const SuiteOptions& options) {
  std::mt19937_64 random(options.seed);
  while (all.size() > options.draw)
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(random() % all.size()));
  return all;
}

/// Types that the borders of each case are quantised to; none: the case as it is.
std::vector<std::optional<DataType>> ways(const SuiteOptions& options) {
  if (!options.between_qdq) return {std::nullopt};
  return {DataType::Int8, DataType::UInt8};
}

std::string plain_name(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with("test_") ? name.substr(5) : name;
}

/// All data sets of a case.
SuiteCase case_of(const std::filesystem::path& folder, const SuiteOptions& options,
                  std::optional<DataType> between) {
  SuiteCase result;
  result.name = plain_name(folder);
  if (between) result.name += fmt::format(" ({})", name_of(*between));
  judge_case(result, [&] {
    result.op = operator_of(folder);
    const graph::Bytes model = import::read_file(folder / "model.onnx");
    if (!is_there(folder / "test_data_set_0")) throw BadCase("has no test_data_set_0, needs at least one");
    for (int i = 0; is_there(folder / fmt::format("test_data_set_{}", i)); ++i) {
      if (result.verdict != Verdict::Pass) return;
      const auto set = folder / fmt::format("test_data_set_{}", i);
      between ? run_between_qdq(result, model, set, *between, options)
              : run_data_set(result, model, set, options);
    }
  });
  return result;
}

}  // namespace

std::vector<SuiteCase> run_onnx_suite(const std::filesystem::path& folder, const SuiteOptions& options,
                                      const std::function<void(const SuiteCase&)>& progress) {
  VDLA_CHECK_USER(is_folder(folder)) << "'" << folder.string()
                                     << "' is no folder, needs one with cases as ONNX has them";
  std::vector<std::filesystem::path> folders;
  if (is_there(folder / "model.onnx")) folders.push_back(folder);
  for (const std::filesystem::path& entry : entries_of(folder))
    if (is_folder(entry) && is_there(entry / "model.onnx")) folders.push_back(entry);
  VDLA_CHECK_USER(!folders.empty()) << "'" << folder.string()
                                    << "' has no case, needs folders with a model.onnx each";
  if (options.draw > 0) folders = drawn(std::move(folders), options);
  std::vector<SuiteCase> results;
  for (const auto& one : folders) {
    if (plain_name(one).find(options.only) == std::string::npos) continue;
    for (const auto between : ways(options)) {
      results.push_back(case_of(one, options, between));
      if (progress) progress(results.back());
    }
  }
  VDLA_CHECK_USER(!results.empty()) << "none of the " << folders.size() << " cases of '" << folder.string()
                                    << "' holds '" << options.only << "' in its name";
  return results;
}

}  // namespace vdla::tools
