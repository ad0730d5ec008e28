// SPDX-License-Identifier: Apache-2.0
// Figure 12: how many trials a search needs, on convolutions of the device or of a CPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "bench/paper/experiments.h"
#include "bench/paper/single_layers.h"
#include "bench/paper/svg.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "support/temporary.h"
#include "tools/tune/cpu_trials.h"
#include "tools/tune/layer_tuning.h"
#include "tools/tune/network_tuning.h"
#include "tools/tune/transfer_logs.h"

namespace vdla::bench::paper {
namespace {

constexpr std::int64_t kTrials = 128;
constexpr double kGood = 0.95, kVeryGood = 0.99;  // shares of the best known
// Numbers for the gain of a search that knows other layers: picks of which the best counts, and a share.
constexpr std::size_t kPicks = 16;
constexpr double kNear = 0.98;

/// Search that is compared: one of the table with a model.
struct Contender {
  std::string name, search, model;
  std::string_view colour;
};
constexpr std::size_t kTold = 2;  // the first ones know other layers, too: those that learn
const std::vector<Contender>& contenders() {
  static const std::vector<Contender> kAll{{"shipped: hybrid", "hybrid", "residual", "#1f5fa8"},
                                           {"ML from nothing: anneal, rank", "anneal", "rank", "#c0392b"},
                                           {"local", "local", "analytic", "#2e8b57"},
                                           {"genetic", "genetic", "analytic", "#e08e0b"},
                                           {"random", "random", "analytic", "#9a9a9a"}};
  return kAll;
}

/// Table 2's convolutions and those of ResNet-8 (MLPerf Tiny).
std::vector<ConvShape> tuned_layers() {
  std::vector<ConvShape> layers;
  for (const Workload& w : table2())
    if (!w.depthwise) layers.push_back(w.shape);
  layers.push_back({.size = 32, .in = 16, .out = 16, .kernel = 3, .stride = 1});
  layers.push_back({.size = 32, .in = 16, .out = 32, .kernel = 3, .stride = 2});
  layers.push_back({.size = 16, .in = 32, .out = 32, .kernel = 3, .stride = 1});
  layers.push_back({.size = 16, .in = 32, .out = 64, .kernel = 3, .stride = 2});
  layers.push_back({.size = 8, .in = 64, .out = 64, .kernel = 3, .stride = 1});
  return layers;
}

/// The least cost after each trial, of each seed, as a share of what the default knobs cost.
using Curves = std::vector<std::vector<double>>;

struct TaskCurves {
  std::string name;
  double points = 0, known = 0;
  std::vector<Curves> curves;  ///< curves of each contender
  std::vector<Curves> told;    ///< curves of the first kTold, which know the logs of the other layers
};

/// One layer and its searches, on a machine.
class LayerSearch {
 public:
  virtual ~LayerSearch() = default;
  virtual double points() const = 0;
  /// The least cost after each trial. `known`: logs of other searches.
  std::vector<double> curve(const Contender& c, std::uint64_t seed, std::int64_t trials,
                            const tune::LogsElsewhere& known = {}) {
    std::vector<double> least;
    tune::TuneOptions how;
    how.trials = trials;
    how.seed = seed;
    how.search = &tune::search_named(c.search);
    how.model = &tune::model_named(c.model);
    how.known = [&](const pipeline::KnobSpace& space) { return known.transfer.samples_for(space); };
    // From nothing: the default knobs count for no search.
    double best = std::numeric_limits<double>::infinity();
    how.progress = [&](const tune::Progress& p, const pipeline::KnobBook&) {
      if (p.cost) best = std::min(best, *p.cost);
      least.push_back(best);
    };
    const double first = run(how);
    least.resize(static_cast<std::size_t>(trials), best);
    for (double& cost : least) cost /= first;
    return least;
  }

 protected:
  /// Cost of the default knobs.
  virtual double run(const tune::TuneOptions& how) = 0;
};

class DeviceSearch final : public LayerSearch {
 public:
  DeviceSearch(const ConvShape& layer, const Settings& settings, const std::string& log)
      : graph_(layer_graph(layer, false)),
        tuning_(graph_, options(), {.jobs = settings.jobs, .log = log}),
        largest_(std::ranges::max_element(tuning_.tasks(), {},
                                          [](const tune::Task& t) { return t.space.points(); }) -
                 tuning_.tasks().begin()) {}

  double points() const override { return task().space.points(); }

 private:
  static pipeline::CompileOptions options() {
    pipeline::CompileOptions options;
    options.variant = isa::load_variant("paper");
    return options;
  }
  const tune::Task& task() const { return tuning_.tasks()[static_cast<std::size_t>(largest_)]; }
  double run(const tune::TuneOptions& how) override {
    return tune::tune(
               tuning_.target(), [this](const pipeline::KnobBook&) { return std::vector{task()}; },
               [&](const std::vector<pipeline::KnobBook>& books) { return tuning_.costs(books, how.seed); },
               how)
        .first;
  }

  graph::Graph graph_;
  tune::NetworkTuning tuning_;
  std::ptrdiff_t largest_;
};

/// "Same" padding, weights that are no zeros: times of floats depend on them.
graph::Graph float_layer(const ConvShape& shape) {
  graph::Graph g;
  g.name = "layer";
  const auto x =
      g.add_tensor({"x", graph::DataType::Float32, {1, shape.in, shape.size, shape.size}, {}, nullptr});
  g.add_input(x);
  std::vector<float> weights(static_cast<std::size_t>(shape.out * shape.in * shape.kernel * shape.kernel));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::sin(static_cast<float>(i));
  const auto w = g.add_constant("w", graph::DataType::Float32,
                                {shape.out, shape.in, shape.kernel, shape.kernel}, graph::to_bytes(weights));
  const std::int64_t before = (shape.kernel - 1) / 2, after = shape.kernel / 2;
  g.add_output(g.add_node(
      "layer", graph::Convolve{{shape.stride, shape.stride}, {1, 1}, {before, before}, {after, after}, 1},
      {x, w}));
  return g;
}

/// Each search begins with the default knobs as its incumbent, whose time is taken anew.
class CpuSearch final : public LayerSearch {
 public:
  CpuSearch(const ConvShape& layer, const std::string& log)
      : graph_(float_layer(layer)),
        tuning_(without_plan(tune::cpu_trials(graph_, options(), 1)), {.log = log}) {}

  double points() const override { return tuning_.tasks().at(0).space.points(); }

 private:
  static pipeline::CompileOptions options() {
    pipeline::CompileOptions options;
    options.variant = isa::load_variant("paper");
    options.use_device = false;
    options.cpu_code = pipeline::CpuCode::Native;
    options.cpu = pipeline::cpu::host_profile();
    return options;
  }
  /// The figure is of layers.
  static tune::LayerTrials without_plan(tune::LayerTrials trials) {
    auto layers = std::make_shared<std::vector<tune::Task>>(trials.tasks_with({trials.target, {}, {}}));
    std::erase_if(*layers, [](const tune::Task& task) { return task.plan; });
    trials.tasks_with = [layers](const pipeline::KnobBook&) -> const std::vector<tune::Task>& {
      return *layers;
    };
    return trials;
  }
  double run(const tune::TuneOptions& how) override { return tuning_.run(how).first; }

  graph::Graph graph_;
  tune::LayerTuning tuning_;
};

std::unique_ptr<LayerSearch> search_of(const ConvShape& layer, const Settings& settings,
                                       const std::string& log = "") {
  if (settings.cpu) return std::make_unique<CpuSearch>(layer, log);
  return std::make_unique<DeviceSearch>(layer, settings, log);
}

/// Log of one layer's trials: empty where none are kept.
std::string log_of(const ConvShape& layer, const Settings& settings) {
  if (settings.logs.empty()) return {};
  std::filesystem::create_directories(settings.logs);
  std::string name = name_of(layer);
  std::ranges::replace_if(name, [](char c) { return c == ' ' || c == '/' || c == '>'; }, '_');
  return settings.logs / (name + ".jsonl");
}

TaskCurves curves_of(const ConvShape& layer, const Settings& settings) {
  const std::unique_ptr<LayerSearch> search = search_of(layer, settings, log_of(layer, settings));
  TaskCurves task{name_of(layer), search->points(), std::numeric_limits<double>::infinity(), {}, {}};
  for (const Contender& c : contenders()) {
    Curves curves;
    for (int seed = 1; seed <= settings.seeds; ++seed)
      curves.push_back(search->curve(c, static_cast<std::uint64_t>(seed), kTrials));
    for (const auto& curve : curves) task.known = std::min(task.known, curve.back());
    task.curves.push_back(std::move(curves));
  }
  if (settings.known > kTrials)
    for (const Contender& c : contenders())
      task.known = std::min(task.known, search->curve(c, 1, settings.known).back());
  return task;
}

/// The searches of each layer that learn again, told of the shipped one's of all other layers.
void tell_of_the_others(const std::vector<ConvShape>& layers, const Settings& settings,
                        std::vector<TaskCurves>& tasks) {
  const Temporary folder(std::filesystem::temp_directory_path(), Temporary::Kind::Folder,
                         "logs of Figure 12");
  const auto log = [&](std::size_t layer) { return (folder.path() / std::to_string(layer)).string(); };
  for (std::size_t l = 0; l < layers.size(); ++l)
    search_of(layers[l], settings, log(l))->curve(contenders().front(), 1, kTrials);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    std::vector<std::string> others;
    for (std::size_t other = 0; other < layers.size(); ++other)
      if (other != l) others.push_back(log(other));
    const tune::LogsElsewhere known = tune::read_logs(others);
    const std::unique_ptr<LayerSearch> search = search_of(layers[l], settings);
    for (std::size_t c = 0; c < kTold; ++c) {
      Curves& told = tasks[l].told.emplace_back();
      for (int seed = 1; seed <= settings.seeds; ++seed)
        told.push_back(search->curve(contenders()[c], static_cast<std::uint64_t>(seed), kTrials, known));
      for (const auto& curve : told) tasks[l].known = std::min(tasks[l].known, curve.back());
    }
  }
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// Trials to that share of the best known, the median over the seeds; all of them where it is not reached.
double trials_to(const Curves& curves, double known, double share) {
  std::vector<double> trials;
  for (const auto& curve : curves) {
    const auto reached = std::ranges::find_if(curve, [&](double cost) { return known / cost >= share; });
    trials.push_back(reached == curve.end() ? static_cast<double>(kTrials)
                                            : static_cast<double>(reached - curve.begin()) + 1);
  }
  return median(std::move(trials));
}

double trials_to(const TaskCurves& task, std::size_t contender, double share) {
  return trials_to(task.curves[contender], task.known, share);
}

/// Share of the best of the first picks: the median over the seeds.
double share_of_picks(const Curves& curves, double known) {
  std::vector<double> shares;
  for (const auto& curve : curves) shares.push_back(known / curve.at(kPicks - 1));
  return median(std::move(shares));
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += std::log(v);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Share of the best known after a trial: the median over the seeds, the geometric mean over tasks.
double share_after(const std::vector<TaskCurves>& tasks, std::size_t contender, std::size_t trial) {
  std::vector<double> shares;
  for (const TaskCurves& task : tasks) {
    std::vector<double> of_seeds;
    for (const auto& curve : task.curves[contender]) of_seeds.push_back(task.known / curve[trial]);
    shares.push_back(std::max(median(std::move(of_seeds)), 1e-3));
  }
  return geometric_mean(shares);
}

/// Gain of a search by the logs of other layers.
struct Transferred {
  Table table;
  double picks = 0;                    ///< the best of the first ones, told: share of the best known
  double trials = 0, trials_told = 0;  ///< to kNear
};
Transferred transferred(const std::vector<TaskCurves>& tasks, std::size_t contender) {
  Table table{contenders()[contender].name + ": by itself, and told of 128 trials of each other layer",
              {{"layer", "layer"},
               {"picks", "best of 16, % of best", 1},
               {"picks_told", "told, %", 1},
               {"trials_98", "trials to 98 %", 0},
               {"trials_98_told", "told", 0}},
              {}};
  std::vector<double> picks, picks_told, trials, trials_told;
  for (const TaskCurves& task : tasks) {
    const Curves &alone = task.curves[contender], &told = task.told[contender];
    picks.push_back(share_of_picks(alone, task.known));
    picks_told.push_back(share_of_picks(told, task.known));
    trials.push_back(trials_to(alone, task.known, kNear));
    trials_told.push_back(trials_to(told, task.known, kNear));
    table.rows.push_back(
        {task.name, 100 * picks.back(), 100 * picks_told.back(), trials.back(), trials_told.back()});
  }
  Transferred result{{}, geometric_mean(picks_told), geometric_mean(trials), geometric_mean(trials_told)};
  table.rows.push_back(
      {"geometric mean", 100 * geometric_mean(picks), 100 * result.picks, result.trials, result.trials_told});
  result.table = std::move(table);
  return result;
}

void add_transfer(const std::vector<TaskCurves>& tasks, Report& report) {
  for (std::size_t c = 0; c < kTold; ++c) {
    Transferred found = transferred(tasks, c);
    report.tables.push_back(std::move(found.table));
    if (c == 0)
      report.claims.push_back(
          {"told of other layers: best of 16 picks of the shipped search, share of best known", 0.96,
           found.picks, true});
    else
      report.claims.push_back({"told of other layers: ML's trials to 98 % for one from nothing", 0.5,
                               found.trials_told / found.trials, false});
  }
}

std::string draw(const std::vector<TaskCurves>& tasks, bool cpu) {
  constexpr double kLeft = 70, kTop = 60, kWidth = 620, kHeight = 340, kLow = 0.5;
  Svg svg(1000, 460);
  svg.words(20, 28,
            fmt::format("Figure 12: share of the best known cost over trials, convolutions on {}",
                        cpu ? "a CPU" : "VDLA"),
            Anchor::Start, 16);
  const auto x = [&](double trial) { return kLeft + kWidth * trial / kTrials; };
  const auto y = [&](double share) {
    return kTop + kHeight * (1 - (std::max(share, kLow) - kLow) / (1 - kLow));
  };
  for (int p = 50; p <= 100; p += 10) {
    svg.line(kLeft, y(p / 100.), kLeft + kWidth, y(p / 100.), "#e4e4e4");
    svg.words(kLeft - 6, y(p / 100.) + 4, fmt::format("{} %", p), Anchor::End, 11);
  }
  for (const double share : {kGood, kVeryGood})
    svg.line(kLeft, y(share), kLeft + kWidth, y(share), "#bbb", 1, true);
  for (int trial = 0; trial <= kTrials; trial += 16)
    svg.words(x(trial), kTop + kHeight + 18, std::to_string(trial), Anchor::Middle, 11);
  svg.words(kLeft + kWidth / 2, kTop + kHeight + 40, "trials", Anchor::Middle);
  for (std::size_t c = 0; c < contenders().size(); ++c) {
    for (std::size_t trial = 1; trial < static_cast<std::size_t>(kTrials); ++trial)
      svg.line(x(static_cast<double>(trial)), y(share_after(tasks, c, trial - 1)),
               x(static_cast<double>(trial) + 1), y(share_after(tasks, c, trial)), contenders()[c].colour, 2);
    const double at = kTop + 20 + 26 * static_cast<double>(c);
    svg.line(kLeft + kWidth + 20, at, kLeft + kWidth + 50, at, contenders()[c].colour, 3);
    svg.words(kLeft + kWidth + 58, at + 4, contenders()[c].name);
  }
  return svg.finish();
}

}  // namespace

Report figure12(const Settings& settings) {
  std::vector<ConvShape> layers = tuned_layers();
  if (settings.tasks > 0 && static_cast<std::size_t>(settings.tasks) < layers.size())
    layers.erase(layers.begin(), layers.end() - settings.tasks);
  std::vector<TaskCurves> tasks;
  for (const ConvShape& layer : layers) {
    tasks.push_back(curves_of(layer, settings));
    fmt::print(stderr, "{}: {} of {} layers\n", name_of(layer), tasks.size(), layers.size());
  }
  if (tasks.size() > 1 && !settings.cpu) tell_of_the_others(layers, settings, tasks);
  Report report;
  Table table{
      "Median trials to 95 % of the best known cost, and to 99 %",
      {{"layer", "layer"}, {"points", "points of the space", 0}, {"default_percent", "default, % of best"}},
      {}};
  for (const Contender& c : contenders()) table.columns.push_back({c.search + "_95", c.search, 0});
  for (const Contender& c : contenders()) table.columns.push_back({c.search + "_99", c.search + ", 99 %", 0});
  std::vector<std::vector<double>> to_good(contenders().size());
  double worst = 0;
  for (const TaskCurves& task : tasks) {
    worst = std::max(worst, trials_to(task, 0, kVeryGood));
    std::vector<Cell> row{task.name, task.points, 100 * task.known};
    for (std::size_t c = 0; c < contenders().size(); ++c) {
      to_good[c].push_back(trials_to(task, c, kGood));
      row.emplace_back(to_good[c].back());
    }
    for (std::size_t c = 0; c < contenders().size(); ++c) row.emplace_back(trials_to(task, c, kVeryGood));
    table.rows.push_back(std::move(row));
  }
  std::vector<Cell> mean{"geometric mean", {}, {}};
  for (const auto& trials : to_good) mean.emplace_back(geometric_mean(trials));
  for (std::size_t c = 0; c < contenders().size(); ++c) {
    std::vector<double> all;
    for (const TaskCurves& task : tasks) all.push_back(trials_to(task, c, kVeryGood));
    mean.emplace_back(geometric_mean(all));
  }
  table.rows.push_back(std::move(mean));
  report.tables.push_back(table);
  if (settings.cpu) {
    report.conditions = {fmt::format(
        "Ours: float layers alone on this machine, one thread, races with the best kernel so far; {} trials, "
        "{} seeds; "
        "the median over seeds, not reached counts as {}. Times have noise, so nothing is claimed.",
        kTrials, settings.seeds, kTrials)};
    report.svg = draw(tasks, true);
    return report;
  }
  const double learnt = geometric_mean(to_good[1]);
  report.claims = {{"trials of the shipped search to 99 % on its worst layer", 32, worst, false},
                   {"trials of ML from nothing to 95 %", 64, learnt, false},
                   {"random's trials for one of ML's", 2, geometric_mean(to_good[4]) / learnt, true},
                   {"genetic's trials for one of ML's", 1.5, geometric_mean(to_good[3]) / learnt, true}};
  if (tasks.size() > 1) add_transfer(tasks, report);
  report.conditions = {
      fmt::format("Ours: variant paper, each layer alone, cycles of the SystemC engine; {} trials, {} seeds; "
                  "the median over seeds, not reached counts as {}.",
                  kTrials, settings.seeds, kTrials),
      fmt::format("Best known: the least of all searches, one run of {} trials of each among them.",
                  std::max(settings.known, kTrials))};
  report.not_comparable = {
      "The paper's is a convolution on a Titan X with times that are measured; here costs are cycles without "
      "noise, spaces are smaller, and infeasible points are not drawn."};
  report.svg = draw(tasks, settings.cpu);
  return report;
}

}  // namespace vdla::bench::paper
