// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/waves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "support/error.h"
#include "support/nearest.h"
#include "support/path.h"
#include "tools/common/validators.h"

namespace vdla::tools {
namespace {

struct DeviceRun {
  unsigned run;  ///< how many device steps come before it
  const isa::Program* program;
};

std::vector<DeviceRun> device_steps(const runtime::Module& module) {
  std::vector<DeviceRun> steps;
  for (const runtime::Step& step : module.steps)
    if (const auto* device = std::get_if<runtime::DeviceStep>(&step))
      steps.push_back({static_cast<unsigned>(steps.size()), &device->program});
  return steps;
}

/// From the first instruction of the layer to its last; what other layers have between them is in the machine
/// at the same time.
sim::InsnRange range_of_layer(const runtime::Module& module, const std::string& name) {
  std::vector<std::string> known;
  for (const DeviceRun& step : device_steps(module)) {
    sim::InsnRange range{step.run, UINT32_MAX, 0};
    for (std::uint32_t i = 0; i < step.program->insns.size(); ++i) {
      const isa::SourceLayer* layer = step.program->source_map.layer_of(i);
      if (layer == nullptr || layer->name != name) continue;
      range.first = std::min(range.first, i);
      range.end = i + 1;
    }
    if (range.end != 0) return range;
    for (const isa::SourceLayer& layer : step.program->source_map.layers) known.push_back(layer.name);
  }
  throw UserError(fmt::format("--waves-layer '{}': the device has no such layer, needs one of {}{}", name,
                              fmt::join(known, ", "), did_you_mean(name, known)));
}

sim::InsnRange range_of_text(const runtime::Module& module, const std::string& text) {
  sim::InsnRange range;
  const char* const end = text.data() + text.size();
  const auto [colon, first_error] = std::from_chars(text.data(), end, range.first);
  VDLA_CHECK_USER(first_error == std::errc{} && colon != end && *colon == ':')
      << "--waves-insns '" << text << "': needs FIRST:END, two numbers of instructions";
  const auto [rest, end_error] = std::from_chars(colon + 1, end, range.end);
  VDLA_CHECK_USER(end_error == std::errc{} && rest == end)
      << "--waves-insns '" << text << "': needs FIRST:END, two numbers of instructions";
  const std::vector<DeviceRun> steps = device_steps(module);
  const std::size_t insns = steps.empty() ? 0 : steps[0].program->insns.size() - 1;  // without the finish
  VDLA_CHECK_USER(range.first < range.end && range.end <= insns)
      << "--waves-insns '" << text << "': needs FIRST below END, and END at most " << insns
      << ", the instructions before the finish of the first device step";
  return range;
}

}  // namespace

void WaveFlags::add_to(CLI::App& command) {
  auto* waves = command
                    .add_option("--waves", file,
                                "Engine rtl: write waveforms to this file (FST, for GTKWave or Surfer)")
                    ->check(ending({".fst"}, "waveforms as FST"));
  auto* of_layer =
      command.add_option("--waves-layer", layer, "Record --waves only during the instructions of this layer");
  of_layer->needs(waves);
  command
      .add_option(
          "--waves-insns", insns,
          "FIRST:END: record --waves only during these instructions of the first device step (END excluded)")
      ->needs(waves)
      ->excludes(of_layer);
  command
      .add_option(
          "--waves-last", last,
          "N: of a run that fails or times out, record --waves of the last N cycles alone; the run is "
          "repeated for it")
      ->check(CLI::PositiveNumber)
      ->needs(waves)
      ->excludes(of_layer)
      ->excludes("--waves-insns");
}

std::optional<sim::RtlWaves> WaveFlags::waves(const runtime::Module& module,
                                              const std::string& engine) const {
  if (file.empty()) return std::nullopt;
  VDLA_CHECK_USER(engine == "rtl") << "--waves writes what the RTL does, engine is " << engine
                                   << ", needs --engine rtl";
  if (last != 0) return std::nullopt;
  sim::RtlWaves waves{file};
  if (!layer.empty()) waves.insns = range_of_layer(module, layer);
  if (!insns.empty()) waves.insns = range_of_text(module, insns);
  return waves;
}

std::string WaveFlags::nothing_written() const {
  const std::string window = !layer.empty()   ? "layer '" + layer + "'"
                             : !insns.empty() ? "instructions " + insns
                                              : "its first cycle";
  return fmt::format("vdla: note: {}: no waveforms were written, the run ended before it reached {}; {}\n",
                     file, window, is_there(file) ? "the file is what it was before" : "there is no file");
}

}  // namespace vdla::tools
