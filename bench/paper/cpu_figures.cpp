// SPDX-License-Identifier: Apache-2.0
// Figures 4 and 18: what the benchmarks of the CPU's code beside this program print as JSON.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "bench/paper/experiments.h"
#include "bench/paper/published.h"
#include "support/error.h"
#include "support/shell_word.h"

namespace vdla::bench::paper {
namespace {

nlohmann::ordered_json output_of(const Settings& settings, const std::string& name,
                                 const std::string& arguments) {
  std::error_code error;
  auto self = std::filesystem::canonical("/proc/self/exe", error);
  if (error) self = settings.executable;
  const std::filesystem::path program = self.parent_path() / name;
  VDLA_CHECK_USER(std::filesystem::exists(program))
      << program.string() << " is missing: build target " << name << ", which needs a kit built with LLVM";
  const std::string command = shell_word(program.string()) + " --json " + arguments;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  VDLA_CHECK_USER(pipe != nullptr) << command << ": cannot be started";
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) text += static_cast<char>(c);
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  VDLA_CHECK_USER(json.is_array()) << command << ": printed no JSON array; run it alone to see why";
  return json;
}

constexpr const char* kShared =
    "Times on this machine, one core, the fastest run of each; noisy where others work on it.";

}  // namespace

Report figure4(const Settings& settings) {
  Report report;
  Table table{"Speed-up by operator fusion, times",
              {{"workload", "workload"},
               {"fused_us", "fused, us", 2},
               {"plain_us", "not fused, us", 2},
               {"functions_fused", "functions, fused", 0},
               {"functions_plain", "not fused", 0},
               {"paper", "paper"},
               {"ours", "ours", 2}},
              {}};
  const auto json =
      output_of(settings, "bench_compiler_fusion", fmt::format("--seconds {}", settings.seconds));
  const std::string range = fmt::format("{} to {}", kFigure4Low, kFigure4High);
  for (const auto& row : json)
    table.rows.push_back({row["workload"].get<std::string>(), row["fused"]["microseconds"].get<double>(),
                          row["plain"]["microseconds"].get<double>(), row["fused"]["functions"].get<double>(),
                          row["plain"]["functions"].get<double>(), range, row["ratio"].get<double>()});
  report.tables.push_back(table);
  report.conditions = {kShared,
                       "Ours: F32, default schedules, changes of layout at the borders left out "
                       "(bench_compiler_fusion)."};
  report.not_comparable = {
      "The paper's runs are on a GPU (Titan X), ours on one core of a CPU.",
      "The paper's range is that of the whole figure: no value by workload is known here."};
  return report;
}

Report figure18(const Settings& settings) {
  Report report;
  Table table{"Bit-serial convolutions, 2-bit activations and 1-bit weights, beside F32 code",
              {{"layer", "layer"},
               {"paper", "paper"},
               {"bitserial_us", "2x1 bit, us"},
               {"f32_us", "our F32, us"},
               {"ratio_to_f32", "F32 / 2x1 bit", 2}},
              {}};
  double logarithms = 0;
  const auto json = output_of(settings, "bench_compiler_lowbit", "");
  for (const auto& row : json) {
    table.rows.push_back({row["layer"].get<std::string>(),
                          {},
                          row["bitserial_microseconds"].get<double>(),
                          row["f32_microseconds"].get<double>(),
                          row["ratio"].get<double>()});
    logarithms += std::log(row["ratio"].get<double>());
  }
  table.rows.push_back(
      {"geometric mean", {}, {}, {}, std::exp(logarithms / static_cast<double>(json.size()))});
  table.rows.push_back(
      {"by tensorize alone (paper's text)", fmt::format("{}", kFigure18Tensorize), {}, {}, {}});
  report.tables.push_back(table);
  report.conditions = {
      kShared, "Ours: packing of the input included, default schedules, untuned (bench_compiler_lowbit)."};
  report.not_comparable = {
      "The paper's baseline is Caffe2's hand-written low-precision code (39e07f7) on an Arm CPU; ours is the "
      "kit's "
      "own F32 code on this machine. The columns share the layers, not the ratio.",
      "The paper's values by layer are in no source that this kit has; only tensorize's share, 1.5 times, is "
      "known, "
      "and the kit's popcounts come from LLVM's vectors, without tensorize.",
      "The paper's second series uses several threads; ours is one thread."};
  return report;
}

}  // namespace vdla::bench::paper
