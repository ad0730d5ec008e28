// SPDX-License-Identifier: Apache-2.0
// vdla explore: many variants of the machine on networks, compared.
#include "tools/explore/explore.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "kit/rtl.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/output_folder.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/explore/halving.h"
#include "tools/explore/page.h"
#include "tools/explore/results.h"
#include "tools/explore/select.h"
#include "tools/tune/tuned_points.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/generated_files.h"
#include "tools/vdla/common/progress_line.h"
#include "tools/vdla/tune/batch.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct ExploreFlags {
  std::string sweep, folder = "vdla_explore", html, csv, part, fleet;
  std::vector<std::string> networks, bases, axes;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  unsigned confirm = 0;
  std::int64_t tune = 0;
  bool halving = false;
  explore::Selection selection;
  std::string minimise, maximise;

  bool selects() const { return !selection.where.empty() || selection.by; }
};

explore::Sweep sweep_of(const ExploreFlags& f) {
  explore::Sweep sweep;
  if (!f.sweep.empty()) sweep = explore::read_sweep(f.sweep);
  sweep.networks.insert(sweep.networks.end(), f.networks.begin(), f.networks.end());
  sweep.bases.insert(sweep.bases.end(), f.bases.begin(), f.bases.end());
  for (const std::string& text : f.axes) explore::add_axis(sweep, explore::parse_axis(text));
  VDLA_CHECK_USER(!sweep.networks.empty())
      << "a sweep needs a network: --network FILE or a name of vdla zoo --list";
  VDLA_CHECK_USER(!sweep.bases.empty() || !sweep.axes.empty() || !sweep.points.empty())
      << "a sweep needs variants: --axis NAME=VALUES, --base VARIANT, or a sweep file";
  return sweep;
}

/// Processor time of this process and its children.
double processor_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return seconds;
}

/// Runs the best points on the RTL engine, which is built where it is missing; index of the point to its
/// record. `options_of` says how a point was measured.
std::map<std::size_t, ordered_json> confirm(
    const std::vector<explore::SweepVariant>& variants, const std::vector<explore::Network>& networks,
    const std::vector<std::size_t>& best, const std::vector<explore::Point>& points,
    const std::function<explore::ExploreOptions(std::size_t point)>& options_of) {
  std::map<std::size_t, ordered_json> records;
  for (const std::size_t p : best) {
    const explore::SweepVariant& variant = variants[points[p].variant];
    if (!kit::rtl_engine_built(variant.variant)) {
      fmt::print(stderr, "RTL of '{}': building its engine, a minute or more\n", variant.name);
      kit::build_rtl_engine(variant.variant, sim::RtlBuild::Fast);
    }
    explore::ExploreOptions options = options_of(p);
    options.engine = "rtl";
    options.progress = ProgressLine("RTL run");
    const auto result = explore::run_sweep({variant}, {networks[points[p].network]}, options).at(0).result;
    VDLA_CHECK_USER(result.at("status") == "ok")
        << "RTL of '" << variant.name << "': " << result.at("reason");
    records[p] = result.at("record");
  }
  return records;
}

/// "at an assumed 100 MHz": no clock was measured.
std::string assumed_clock(const ordered_json& results) {
  std::set<double> clocks;
  for (const auto& variant : results.at("variants"))
    if (variant.contains("timing")) clocks.insert(variant["timing"]["clock_mhz"].get<double>());
  return clocks.size() == 1 ? fmt::format("at an assumed {} MHz", *clocks.begin())
                            : "at the clock that each variant assumes";
}

/// Prints the range of errors that the model of area makes on a synthesis that is left out of its fit.
void print_model_errors(const ordered_json& errors) {
  double low = 0, high = 0;
  for (const auto& e : errors) {
    low = std::min(low, e["error"].get<double>());
    high = std::max(high, e["error"].get<double>());
  }
  if (!errors.empty())
    fmt::print("  it misses syntheses that it has not seen by {:+.0f} to {:+.0f} % (--json lists all {})\n",
               100 * low, 100 * high, errors.size());
}

void print_summary(const ordered_json& results) {
  const auto& points = results.at("points");
  const auto best = explore::best_points(results);
  const bool part = !results.at("part").is_null();
  ordered_json rows = ordered_json::array();
  for (const std::size_t i : best) {
    rows.push_back(points[i]);
    rows.back()["variant"] = results["variants"][points[i]["variant"].get<std::size_t>()]["name"];
    rows.back()["network"] = results["networks"][points[i]["network"].get<std::size_t>()]["name"];
  }
  const std::vector<std::string> lines = table_lines(
      rows, std::string("variant|network|cycles|ms|1/s|util.|LUT|DSP|BRAM|front|uJ") + (part ? "|share" : ""),
      std::string(
          "{variant:<28.28} {network:<14.14} {cycles:>12} {ms:>9.3f} {fps:>8.1f} {utilisation*100:>6.1f}% "
          "{area.lut:>8.0f} {area.dsp:>6.0f} {area.bram:>6.1f} {front:>6} {energy.total:>9.0f}") +
          (part ? " {share*100:>6.1f}%" : ""));
  fmt::print("{}\n", lines[0]);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ordered_json& p = rows[i];
    fmt::print("{}\n", lines[i + 1]);
    if (p.contains("rtl"))
      fmt::print("    RTL: {} cycles; SystemC is {:+.3f} % off, {:.3f} % in the worst layer\n",
                 p["rtl"]["cycles"].get<std::uint64_t>(), 100 * p["rtl"]["error"].get<double>(),
                 100 * p["rtl"]["worst_layer_error"].get<double>());
  }
  double gain = 0, tuned = 0;
  for (const std::size_t i : best)
    if (points[i].contains("default_cycles")) {
      gain += std::log(points[i]["cycles"].get<double>() / points[i]["default_cycles"].get<double>());
      ++tuned;
    }
  if (results.contains("halving")) {
    const auto& halving = results["halving"];
    for (const auto& round : halving["rounds"])
      fmt::print("{} points with {} trials each\n", round["points"].get<std::size_t>(),
                 round["trials"].get<std::int64_t>());
    fmt::print("{} trials, {:.1f} % of those of all points\n", halving["trials"].get<std::int64_t>(),
               100 * halving["trials"].get<double>() / halving["trials_of_all"].get<double>());
  }
  if (tuned != 0)
    fmt::print("tuned: {:.2f} % fewer cycles than with default knobs, the geometric mean of {:.0f} points\n",
               100 * (1 - std::exp(gain / tuned)), tuned);
  if (!best.empty()) fmt::print("ms and 1/s are {}\n", assumed_clock(results));
  for (const auto& p : points) {
    const auto name = results["variants"][p["variant"].get<std::size_t>()]["name"].get<std::string>();
    if (p["status"] != "ok") {
      fmt::print("{}: {}: {}\n", name, p["status"].get<std::string>(), p["reason"].get<std::string>());
    } else if (!p.value("fits", true)) {
      fmt::print("{}: does not fit {}: {}\n", name, results["part"]["name"].get<std::string>(),
                 p["over"].get<std::string>());
    }
    if (p.contains("lost") && !p["lost"].empty())
      fmt::print("{}, {}: the compiler lost {} fusions or results on chip, the first: {}: {}\n", name,
                 results["networks"][p["network"].get<std::size_t>()]["name"].get<std::string>(),
                 p["lost"].size(), p["lost"][0]["node"].get<std::string>(),
                 p["lost"][0]["what"].get<std::string>());
    if (p["status"] == "ok" && p["macs"] != p["macs_on_device"]) {
      fmt::print("{}: {} of {} multiply-accumulates stay on the CPU\n", name,
                 p["macs"].get<std::uint64_t>() - p["macs_on_device"].get<std::uint64_t>(),
                 p["macs"].get<std::uint64_t>());
    }
  }
  fmt::print("\n{}\n", results["area_model"]["text"].get<std::string>());
  print_model_errors(results["area_model"]["errors"]);
}

/// Adds the rounds of --halving, and how many trials each point had.
void add_halving(const explore::Halved& halved, std::int64_t trials, ordered_json& results) {
  ordered_json rounds = ordered_json::array();
  std::int64_t made = 0;
  for (const explore::HalvingRound& r : halved.rounds) {
    rounds.push_back({{"trials", r.trials}, {"points", r.points}});
    made += r.trials * static_cast<std::int64_t>(r.points);
  }
  const auto of_all = trials * static_cast<std::int64_t>(halved.rounds.front().points);
  results["halving"] = {{"rounds", rounds}, {"trials", made}, {"trials_of_all", of_all}};
  for (std::size_t p = 0; p < halved.points.size(); ++p)
    if (halved.trials[p] != 0) results["points"][p]["tuned_trials"] = halved.trials[p];
}

ordered_json selection_json(const explore::Selection& selection, const explore::Selected& selected) {
  ordered_json json{{"where", selection.where}, {"pass", selected.rows.size()}, {"of", selected.of}};
  if (selection.by) json[selection.maximise ? "maximise" : "minimise"] = *selection.by;
  json["points"] = ordered_json::array();
  for (const explore::Selected::Row& row : selected.rows)
    for (const std::size_t point : row.points) {
      ordered_json entry{{"point", point}};
      if (selection.by) entry["value"] = row.value;
      json["points"].push_back(std::move(entry));
    }
  return json;
}

/// The best variant and those that are as good; without an order, all that pass.
void print_selection(const ordered_json& results, const explore::Selection& selection,
                     const explore::Selected& selected) {
  const bool several = results["networks"].size() > 1;
  fmt::print("\n{} of {} {} pass{}{}\n", selected.rows.size(), selected.of, several ? "variants" : "points",
             selection.where.empty() ? "" : " ", selection.where);
  for (const explore::Selected::Row& row : selected.rows) {
    if (selection.by && row.value != selected.rows[0].value) break;
    const auto& first = results["points"][row.points[0]];
    const auto columns = explore::columns_of(results, row.points);
    fmt::print(
        "  {}, {}: ", results["variants"][first["variant"].get<std::size_t>()]["name"].get<std::string>(),
        several ? fmt::format("{} networks", row.points.size())
                : results["networks"][first["network"].get<std::size_t>()]["name"].get<std::string>());
    if (selection.by)
      fmt::print("{} {} {:.6g}; ", selection.maximise ? "most" : "least", *selection.by, row.value);
    fmt::print("{:.0f} cycles, {:.1f} per second{}, {:.0f} LUT, {:.0f} DSP, {:.1f} BRAM\n",
               columns.at("cycles"), columns.at("fps"), several ? " of the slowest" : "", columns.at("lut"),
               columns.at("dsp"), columns.at("bram"));
    if (several)
      fmt::print("    one inference a second of the slowest takes {:.4g} MHz\n", columns.at("mhz_per_fps"));
  }
}

/// Points to confirm: those of the best `count` variants that were selected, or else the best points.
std::vector<std::size_t> to_confirm(const ordered_json& results, const ExploreFlags& f) {
  if (!f.selects()) {
    auto best = explore::best_points(results);
    best.resize(std::min<std::size_t>(best.size(), f.confirm));
    return best;
  }
  std::vector<std::size_t> points;
  auto rows = explore::select_variants(results, f.selection).rows;
  rows.resize(std::min<std::size_t>(rows.size(), f.confirm));
  for (const auto& row : rows) points.insert(points.end(), row.points.begin(), row.points.end());
  return points;
}

void run(ExploreFlags& f, const Context& context) {
  f.selection.maximise = !f.maximise.empty();
  if (!f.minimise.empty() || !f.maximise.empty()) f.selection.by = f.minimise + f.maximise;
  explore::check_selection(f.selection, !f.part.empty());
  VDLA_CHECK_USER(!f.halving || f.tune >= explore::kLeastHalved)
      << "--halving shares out the trials of --tune, which is " << f.tune << ", needs "
      << explore::kLeastHalved << " or more";
  const explore::Sweep sweep = sweep_of(f);
  explore::ResultOptions about;
  if (!f.part.empty()) about.part = explore::load_part(f.part);
  // An earlier sweep's are replaced.
  std::vector<FolderFile> written{{"results.json", ""}};
  if (f.csv.empty()) written.push_back({"results.csv", ""});
  if (f.html.empty()) written.push_back({"report.html", ""});
  refuse_files_of_others(f.folder, written, explore::kResultsFormat);
  const auto variants = explore::variants_of(sweep);
  const NewFolder made(f.folder);
  const auto networks = explore::resolve_networks(sweep.networks, f.folder);
  explore::ExploreOptions options;
  options.folder = f.folder;
  options.executable = context.executable;
  options.jobs = std::max(1u, f.jobs);
  const auto tuned_by = [&](std::int64_t trials) {
    explore::ExploreOptions how = options;
    if (trials != 0) how.measure = tune::tuned_points(trials);
    return how;
  };
  const auto with_trials = [&](std::int64_t trials) {
    explore::ExploreOptions how = tuned_by(trials);
    how.progress = ProgressLine("points");
    if (!f.fleet.empty()) explore_on_slurm(f.fleet, trials, context, how);
    return how;
  };
  explore::Halved halved;
  if (f.halving)
    halved = explore::halve(variants, networks, f.tune, with_trials, about);
  else
    halved.points = explore::run_sweep(variants, networks, with_trials(f.tune));
  const auto& points = halved.points;
  about.title = fmt::format("{} points", points.size());
  about.kit = std::string("VDLA kit ") + VDLA_VERSION;
  about.engine = options.engine;
  about.command = context.command_line;
  const auto results_with = [&](const std::map<std::size_t, ordered_json>& rtl) {
    ordered_json all = explore::results_of(variants, networks, points, rtl, about);
    if (f.halving) add_halving(halved, f.tune, all);
    return all;
  };
  ordered_json results = results_with({});
  if (f.confirm != 0) {
    results = results_with(confirm(variants, networks, to_confirm(results, f), points, [&](std::size_t p) {
      return tuned_by(f.halving ? halved.trials[p] : f.tune);
    }));
  }
  const explore::Selected selected = explore::select_variants(results, f.selection);
  if (f.selects()) results["selection"] = selection_json(f.selection, selected);
  const std::filesystem::path folder = f.folder;
  write_file((folder / "results.json").string(), json_dump(results, 1));
  write_file(f.csv.empty() ? (folder / "results.csv").string() : f.csv, explore::csv_of(results));
  const std::string html = f.html.empty() ? (folder / "report.html").string() : f.html;
  write_file(html, explore::explore_page(results));
  const bool none = std::ranges::none_of(points, [](const auto& p) { return p.result.at("status") == "ok"; });
  const auto cached = std::count_if(points.begin(), points.end(), [](const auto& p) { return p.cached; });
  context.report(results, [&] {
    print_summary(results);
    fmt::print(
        "{} points, {} of them known before; {:.1f} s of processor time; {}, results.json and results.csv in "
        "{}\n",
        points.size(), cached, processor_seconds(), html, f.folder);
    if (none) fmt::print("no point could be measured: each says why above\n");
    if (f.selects()) print_selection(results, f.selection, selected);
  });
  if (none || selected.rows.empty()) throw Difference();
}

}  // namespace

void add_explore(CLI::App& app, Context& context) {
  auto f = std::make_shared<ExploreFlags>();
  CLI::App* c = add_command(app, context, "explore",
                            "Compare variants of the machine on networks: cycles, area, energy, traffic",
                            "Every point is compiled anew, schedules included, and run on the SystemC "
                            "engine, in processes of its own. Results\n"
                            "are kept in the folder by what they depend on: a killed sweep goes on, a "
                            "repeated one costs nothing. A point that\n"
                            "cannot be built is reported with the reason. A sweep file holds networks, base, "
                            "axes and points as JSON.\n"
                            "Axes: array=BxKxN; inp_kib, wgt_kib, acc_kib, out_kib, par_kib, uop_kib; any "
                            "key of a variant's geometry or timing.\n"
                            "Area is a model fitted to Yosys syntheses, energy a table of energies per "
                            "operation; both print what they are.\n"
                            "example: vdla explore --network resnet18 --axis array=1x8x8,1x16x16 --axis "
                            "wgt_kib=16,32 --part xc7z020\n"
                            "         vdla explore sweep.json --where 'fps >= 60 and fits' --minimise lut",
                            [f, &context] { run(*f, context); });
  c->add_option("sweep", f->sweep, "Sweep file (JSON)");
  c->add_option("--network", f->networks,
                "Network (.tflite, .onnx, or graph text) or a name of the zoo; may be repeated");
  c->add_option(
      "--base", f->bases,
      "Variant that the axes change, as --variant takes it (board:BOARD, a file); paper unless given; may be "
      "repeated");
  c->add_option(
      "--axis", f->axes,
      "NAME=VALUE,VALUE...; may be repeated, all combinations are made; values of the same name add up");
  c->add_option("-o,--output", f->folder, "Folder for points, results.json, results.csv, report.html")
      ->capture_default_str();
  c->add_option("--html", f->html, "Write the report to this file instead")
      ->check(ending({".html", ".htm"}, "an HTML page"));
  c->add_option("--csv", f->csv, "Write the CSV to this file instead")->check(ending({".csv"}, "CSV text"));
  c->add_option("--part", f->part,
                "Part with a budget (xc7z020), or a file; points that do not fit are marked");
  c->add_option(
      "--where", f->selection.where,
      "Condition on the columns, such as 'fps >= 60 and lut < 30e3': prints the variants that pass, by "
      "their slowest network and the sums over all; "
      "exit status 1 "
      "when none does. An unknown column lists all");
  auto* least = c->add_option(
      "--minimise", f->minimise,
      "Column or value, such as lut or energy*ms: prints the variant that passes and has the least of it");
  c->add_option("--maximise", f->maximise, "The same, with the most of it")->excludes(least);
  c->add_option("--jobs", f->jobs, "Processes at once")->check(CLI::Range(1, 1024))->capture_default_str();
  c->add_option("--fleet", f->fleet, about_slurm_fleet())->check(slurm_fleet())->excludes("--jobs");
  c->add_option("--tune", f->tune,
                "Search better knobs for each point first, by so many trials (vdla tune): variants are then "
                "compared by what they can do, not by what the default knobs make of them")
      ->check(not_negative())
      ->capture_default_str();
  c->add_flag("--halving", f->halving,
              "With --tune: few of the trials for each point, all of them only for those near the front, "
              "for many points less than a quarter of the trials in all");
  c->add_option("--confirm-rtl", f->confirm,
                "Build the RTL of the best N points (of the N best variants that --where and --minimise "
                "select), run it, print the error")
      ->check(not_negative());
}

}  // namespace vdla::tools
