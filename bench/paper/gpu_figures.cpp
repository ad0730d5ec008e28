// SPDX-License-Identifier: Apache-2.0
// Figures 7, 14 and 15, on a GPU: what a run of bench/gpu recorded. Nothing is measured here, since kernels
// are compiled on one machine and run on another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "bench/paper/experiments.h"
#include "bench/paper/published.h"
#include "bench/paper/svg.h"
#include "support/error.h"

namespace vdla::bench::paper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRivalColour = "#9a9a9a", kOwnColour = "#1f5fa8", kLightColour = "#8fb3d9";

Json read_record(const Settings& settings) {
  std::ifstream file(settings.gpu_record);
  VDLA_CHECK_USER(file.good()) << "not measured yet: there is no record of a GPU at '"
                               << settings.gpu_record.string()
                               << "'; bench/gpu/README.md says how to make one, --gpu-record takes it";
  try {
    return Json::parse(file);
  } catch (const Json::exception& error) {
    throw UserError(fmt::format("{}: {}", settings.gpu_record.string(), error.what()));
  }
}

/// The row of a task; nothing where it was not measured.
std::optional<Json> find_row(const Json& record, const std::string& id) {
  for (const Json& row : record.at("rows"))
    if (row.at("id") == id && row.contains("rival_seconds")) return row;
  return std::nullopt;
}
Json row_of(const Json& record, const std::string& id) {
  if (std::optional<Json> row = find_row(record, id)) return *std::move(row);
  throw UserError(fmt::format("not measured yet: the record has no time of '{}' beside others", id));
}

std::vector<std::string> conditions_of(const Json& record) {
  std::vector<std::string> conditions;
  for (const Json& run : record.at("runs"))
    conditions.push_back(
        fmt::format("Recorded on {}, driver {}, {}, sources {}; {} by ptxas, knobs by a search on that GPU.",
                    run.at("device").get<std::string>(), run.at("driver").get<std::string>(),
                    run.at("date").get<std::string>().substr(0, 10), run.at("commit").get<std::string>(),
                    run.at("code").get<std::string>()));
  std::string others;
  for (const auto& [name, version] : record.at("others").items())
    others += fmt::format("{}{} {}", others.empty() ? "" : ", ", name,
                          version.is_string() ? version.get<std::string>() : version.dump());
  conditions.push_back("Others: " + others + "; the fastest of all layouts and runs counts.");
  conditions.emplace_back(
      "float32 on both sides, TF32 off; results within 1e-5 (a network 1e-4) of the norm. Runs stand in one "
      "CUDA graph, so the time of a call is not in them (JAX: calls queued one behind the other, by the "
      "host's "
      "clock); inputs stay in the GPU's cache.");
  return conditions;
}

double us(const Json& row, const char* key) { return row.at(key).get<double>() * 1e6; }

/// Bars beside each other, in groups; a value of 1 is a line across. The picture is as wide as its bars, its
/// title and its legend need.
class Bars {
 public:
  Bars(double most, std::string title) : most_(most), title_(std::move(title)) {}

  void group(std::string name, std::vector<std::pair<double, std::string_view>> bars) {
    groups_.push_back({std::move(name), std::move(bars)});
  }
  void legend(std::vector<std::pair<std::string, std::string_view>> names) { legend_ = std::move(names); }

  std::string finish() const {
    const double right = std::max({end_of_groups(), end_of_legend(), kLeft + width_of(title_, kTitleSize)});
    Svg svg(std::ceil(right + kGap), kBottom + kBelow);
    svg.words(kLeft, 20, title_, Anchor::Start, kTitleSize);
    for (double v = 0; v <= most_ + 1e-9; v += most_ > 4 ? 1 : 0.25) {
      svg.line(kLeft, y(v), right, y(v), v == 1 ? "#777" : "#e4e4e4", 1, v == 1);
      svg.words(kLeft - 6, y(v) + 4, fmt::format("{:g}", v), Anchor::End, kNameSize);
    }
    draw_groups(svg);
    draw_legend(svg);
    return svg.finish();
  }

 private:
  struct Group {
    std::string name;
    std::vector<std::pair<double, std::string_view>> bars;

    double bars_width() const { return kBar * static_cast<double>(bars.size()); }
    double width() const { return std::max(bars_width(), width_of(name, kNameSize)); }
  };
  static constexpr double kLeft = 50, kTop = 40, kBottom = 260, kBelow = 60, kBar = 24, kGap = 10;
  static constexpr double kTitleSize = 13, kNameSize = 11;

  double y(double v) const { return kTop + (kBottom - kTop) * (1 - v / most_); }

  double end_of_groups() const {
    double x = kLeft + kGap;
    for (const Group& group : groups_) x += group.width() + kGap;
    return x;
  }
  static double legend_width(const std::string& name) { return 14 + width_of(name, kNameSize) + 2 * kGap; }
  double end_of_legend() const {
    double x = kLeft;
    for (const auto& [name, colour] : legend_) x += legend_width(name);
    return x;
  }

  void draw_groups(Svg& svg) const {
    double x = kLeft + kGap;
    for (const Group& group : groups_) {
      double bar = x + (group.width() - group.bars_width()) / 2;
      for (const auto& [value, colour] : group.bars) {
        const double top = y(std::min(value, most_));
        svg.box(bar, top, kBar - 1, y(0) - top, colour);
        svg.words(bar + kBar / 2, top - 4, fmt::format("{:.{}f}", value, most_ > 4 ? 1 : 2), Anchor::Middle,
                  9);
        bar += kBar;
      }
      svg.words(x + group.width() / 2, y(0) + 16, group.name, Anchor::Middle, kNameSize);
      x += group.width() + kGap;
    }
  }
  void draw_legend(Svg& svg) const {
    double x = kLeft;
    for (const auto& [name, colour] : legend_) {
      svg.box(x, y(0) + 28, 10, 10, colour);
      svg.words(x + 14, y(0) + 37, name, Anchor::Start, kNameSize);
      x += legend_width(name);
    }
  }

  double most_;
  std::string title_;
  std::vector<Group> groups_;
  std::vector<std::pair<std::string, std::string_view>> legend_;
};

}  // namespace

Report figure7(const Settings& settings) {
  const Json record = read_record(settings);
  Report report;
  Table table{
      "Products of matrices, time in us; cooperative fetch: threads of a block fetch tiles for all of them",
      {{"size", "size", 0},
       {"cublas_us", "cuBLAS"},
       {"without_us", "ours, without it"},
       {"with_us", "ours, with it"},
       {"gain", "gain of it", 2},
       {"share", "share of cuBLAS", 2}},
      {}};
  Bars bars(1.25, "speed, cuBLAS is 1, with cooperative fetch and without");
  double least = INFINITY;
  for (const int n : {1024, 2048}) {
    const Json row = row_of(record, fmt::format("sgemm-{}-tn", n));
    VDLA_CHECK_USER(row.contains("without_cooperation"))
        << "the record has no product of " << n << " without cooperative fetch";
    const double rival = us(row, "rival_seconds"), with = us(row, "seconds"),
                 without = us(row, "without_cooperation");
    table.rows.push_back({static_cast<double>(n), rival, without, with, without / with, rival / with});
    bars.group(fmt::format("{}", n),
               {{1, kRivalColour}, {rival / without, kLightColour}, {rival / with, kOwnColour}});
    least = std::min(least, without / with);
  }
  bars.legend({{"cuBLAS", kRivalColour}, {"ours without", kLightColour}, {"ours with", kOwnColour}});
  report.tables.push_back(table);
  report.claims.push_back({"cooperative fetch makes products faster, at least by", 1, least});
  report.svg = bars.finish();
  report.conditions = conditions_of(record);
  report.not_comparable = {"The paper's GPU is a Titan X of 2015."};
  return report;
}

Report figure14(const Settings& settings) {
  const Json record = read_record(settings);
  const Json row = row_of(record, "resnet18");
  Report report;
  Table table{
      "ResNet-18, one image, float32, time of an inference in us", {{"what", "what"}, {"us", "us"}}, {}};
  for (const auto& [name, seconds] : row.at("rivals").items())
    table.rows.push_back({name, seconds.get<double>() * 1e6});
  table.rows.push_back({std::string("ours"), us(row, "seconds")});
  table.rows.push_back({std::string("ours, sum of its functions alone"), us(row, "sum_of_functions")});
  report.tables.push_back(table);
  Table layers{
      "Ours by function, each alone", {{"layer", "layer"}, {"template", "template"}, {"us", "us", 2}}, {}};
  for (const Json& f : row.at("functions"))
    layers.rows.push_back({f.at("layer").get<std::string>(), f.at("template").get<std::string>(),
                           f.at("seconds").get<double>() * 1e6});
  report.tables.push_back(layers);
  Table networks{"Networks of the figure, float32, time of an inference in us",
                 {{"network", "network"},
                  {"others", "others, best"},
                  {"others_us", "us", 1},
                  {"us", "ours", 1},
                  {"ratio", "times as fast", 2}},
                 {}};
  Bars bars(7, "speed of networks, the fastest of the others is 1");
  std::vector<std::string> missing;
  for (const char* id : {"resnet18", "mobilenet", "lstm", "dqn", "dcgan"}) {
    const std::optional<Json> of = find_row(record, id);
    if (!of) {
      missing.emplace_back(id);
      continue;
    }
    networks.rows.push_back({std::string(id), of->at("rival").get<std::string>(), us(*of, "rival_seconds"),
                             us(*of, "seconds"), of->at("ratio").get<double>()});
    bars.group(id, {{of->at("ratio").get<double>(), kOwnColour}});
  }
  report.tables.push_back(networks);
  report.svg = bars.finish();
  report.claims.push_back({"ResNet-18's speed beside the fastest of the others", 1, row.at("ratio")});
  report.claims.push_back({"time of the whole over the sum of its functions", 1.15,
                           us(row, "seconds") / us(row, "sum_of_functions"), false});
  report.conditions = conditions_of(record);
  report.not_comparable = {"The paper: 1.6 to 3.8 times the frameworks of 2018 on a Titan X."};
  if (!missing.empty())
    report.not_comparable.push_back(
        fmt::format("Not measured yet: {}; bench/gpu has programs of them.", fmt::join(missing, ", ")));
  return report;
}

Report figure15(const Settings& settings) {
  const Json record = read_record(settings);
  Report report;
  Table table{"Layers of Table 2, one image, float32, time in us",
              {{"id", "layer"},
               {"shape", "shape"},
               {"others", "others, best"},
               {"others_us", "us", 2},
               {"default_us", "ours, default knobs", 2},
               {"us", "ours", 2},
               {"ratio", "times as fast", 2}},
              {}};
  Bars bars(7, "speed, the fastest of the others is 1");
  double sums[2] = {0, 0}, least = INFINITY;
  int counts[2] = {0, 0};
  for (const Workload& w : table2()) {
    const Json row = row_of(record, w.id);
    const double ratio = row.at("ratio");
    table.rows.push_back({w.id, name_of(w), row.at("rival").get<std::string>(), us(row, "rival_seconds"),
                          us(row, "default_seconds"), us(row, "seconds"), ratio});
    bars.group(w.id, {{ratio, w.depthwise ? kLightColour : kOwnColour}});
    sums[w.depthwise ? 1 : 0] += std::log(ratio);
    ++counts[w.depthwise ? 1 : 0];
    if (!w.depthwise) least = std::min(least, ratio);
  }
  bars.legend({{"convolutions", kOwnColour}, {"depthwise convolutions", kLightColour}});
  report.tables.push_back(table);
  report.claims.push_back({"C1 to C12, geometric mean of times as fast", 1, std::exp(sums[0] / counts[0])});
  report.claims.push_back({"the slowest of them", 0.7, least});
  report.claims.push_back({"D1 to D9, geometric mean of times as fast", 1, std::exp(sums[1] / counts[1])});
  report.svg = bars.finish();
  report.conditions = conditions_of(record);
  report.not_comparable = {
      "The paper's are beside cuDNN 7 and handcrafted kernels on a Titan X.",
      "Of a batch of one image cuDNN finds little to do in parallel; larger batches are another "
      "comparison, which nobody has made here."};
  return report;
}

}  // namespace vdla::bench::paper
