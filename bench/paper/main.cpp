// SPDX-License-Identifier: Apache-2.0
// The experiments of the TVM paper (OSDI 2018) on this kit: the paper's values, ours, the conditions, and
// what cannot be compared. Exit status 1 when a claim is missed.
//
//   bench_paper --list
//   bench_paper --figure 10 --svg figure10.svg
//   bench_paper --json
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

#include "bench/paper/experiments.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/output_file.h"

namespace vdla::bench::paper {
namespace {

void list() {
  for (const Experiment& e : experiments()) {
    fmt::print("{:8} {} ({})\n", e.id, e.title, e.section);
    if (!e.missing.empty()) fmt::print("{:8} not yet: {}\n", "", e.missing);
  }
  fmt::print("{:8} figures 1 to 3, 5, 6, 8, 9, 11, 13 and 20 are drawings: nothing to measure\n", "");
}

void write(const std::string& path, const std::string& text) { write_output(path, text); }

struct Choice {
  std::vector<const Experiment*> experiments = {};
  bool all = false;  ///< no experiment was named: what this build cannot run is told and left out
};

/// Its report, or why there is none in `missing`.
Report run(const Experiment& e, const Settings& settings, bool all, std::string& missing) {
  missing = e.missing.empty() && all ? e.only_by_name : e.missing;
  if (!missing.empty()) return {};
  try {
    return e.run(settings);
  } catch (const UserError& error) {
    if (!all) throw;
    missing = error.what();
    return {};
  }
}

/// Whether all claims hold.
bool run(const Choice& choice, const Settings& settings, const std::string& svg, bool json) {
  bool hold = true;
  auto results = nlohmann::ordered_json::array();
  for (const Experiment* e : choice.experiments) {
    if (!json)
      fmt::print("== {} ({}): {}\n\n", e->id == "table2" ? "Table 2" : "Figure " + e->id, e->section,
                 e->title);
    nlohmann::ordered_json result{{"id", e->id}, {"title", e->title}, {"section", e->section}};
    std::string missing;
    const Report report = run(*e, settings, choice.all, missing);
    VDLA_CHECK_USER(svg.empty() || !report.svg.empty())
        << "--svg: " << e->id << " has no picture; 7, 10, 12, 14, 15 and 21 have one";
    if (!svg.empty()) write(svg, report.svg);
    if (missing.empty()) {
      result.update(to_json(report));
      if (!json) print(report);
    } else {
      result["missing"] = missing;
      if (!json) fmt::print("Not run: {}.\n\n", missing);
    }
    std::fflush(stdout);
    results.push_back(result);
    hold &= std::ranges::all_of(report.claims, &Claim::holds);
  }
  if (json) fmt::print("{}\n", json_dump(results, 2));
  return hold;
}

}  // namespace
}  // namespace vdla::bench::paper

int main(int argc, char** argv) {
  using namespace vdla;
  using namespace vdla::bench::paper;
  CLI::App app{
      "The experiments of the TVM paper (OSDI 2018) on this kit: the paper's values, ours, the conditions, "
      "and\n"
      "what cannot be compared. Figures 10, 12 and 21 and Table 2 are cycles, the same on every machine; "
      "Figures "
      "4\n"
      "and 18 are times on this one, Figures 7, 14 and 15 what a run on a GPU recorded. Exit status 1 when a "
      "claim is missed.\n\n"
      "  bench_paper --list                          what there is, and why some cannot be run\n"
      "  bench_paper --figure 10 --svg figure10.svg  one figure, with its picture\n"
      "  bench_paper --json                          all that can be run"};
  std::vector<std::string> figures;
  std::string svg;
  bool only_list = false, json = false;
  Settings settings;
  settings.executable = argv[0];
  settings.gpu_record = VDLA_GPU_RECORD;
  app.add_flag("--list", only_list, "Print the experiments");
  app.add_option("--figure", figures,
                 "4, 7, 10, 12, 14, 15, 18, 21 or table2; may be repeated; all when absent");
  app.add_option("--svg", svg, "Write the picture to this file (one of 7, 10, 12, 14, 15 and 21)");
  app.add_flag("--json", json, "Print one JSON array");
  app.add_option("--engine", settings.engine, "systemc or rtl, for cycles")
      ->check(CLI::IsMember({"systemc", "rtl"}))
      ->capture_default_str();
  app.add_option("--seconds", settings.seconds, "Time for each workload of Figure 4")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seeds", settings.seeds, "Runs of each search of Figure 12")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--known", settings.known, "Trials of each search for the best known cost of Figure 12")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->capture_default_str();
  app.add_option("--tasks", settings.tasks, "Only so many layers of Figure 12, the small ones; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--cpu", settings.cpu,
               "Figure 12 on this machine's CPU: float layers, times with noise, no claims");
  app.add_option("--jobs", settings.jobs, "Trials of Figure 12 at once")
      ->check(CLI::Range(1u, 4096u))
      ->capture_default_str();
  app.add_option(
      "--logs", settings.logs,
      "Folder that keeps the trials of Figure 12, a log for each layer: a run that was ended goes on");
  app.add_option("--gpu-record", settings.gpu_record, "What bench/gpu/record.py wrote of a GPU")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    if (only_list) {
      list();
      return 0;
    }
    Choice choice{.all = figures.empty()};
    for (const std::string& id : figures) choice.experiments.push_back(&experiment(id));
    if (choice.all)
      for (const Experiment& e : experiments()) choice.experiments.push_back(&e);
    VDLA_CHECK_USER(svg.empty() || choice.experiments.size() == 1)
        << "--svg is the picture of one experiment, " << choice.experiments.size()
        << " are chosen: give one --figure";
    return run(choice, settings, svg, json) ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
