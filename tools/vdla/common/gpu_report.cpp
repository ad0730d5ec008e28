// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/gpu_report.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kit/gpu_timeline.h"
#include "support/source_tensor.h"
#include "tools/common/table.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

std::size_t bytes_of(const runtime::GpuSegment& s, const std::vector<runtime::GpuTensor>& tensors) {
  std::size_t bytes = 0;
  for (const runtime::GpuTensor& t : tensors) bytes += s.program.buffer_bytes[t.buffer];
  return bytes;
}

ordered_json layer_json(const runtime::Module& module, const runtime::GpuSegment& s, std::size_t layer) {
  const std::size_t step = s.first_step + layer;
  const runtime::NodeInfo* node = runtime::main_node(module, step);
  ordered_json json{{"name", node ? node->name : ""}, {"op", node ? node->op : ""}};
  if (node && stands_for_one(node->sources)) json["tensor"] = node->sources.front().name;
  std::uint64_t macs = 0;
  for (const runtime::NodeInfo& n : module.nodes)
    if (n.step == static_cast<std::int32_t>(step)) macs += n.macs;
  json.update({{"step", step},
               {"template", s.layers[layer].by},
               {"knobs", s.layers[layer].knobs},
               {"launches", s.layers[layer].launches},
               {"macs", macs}});
  return json;
}

}  // namespace

ordered_json gpu_programs_json(const runtime::Module& module) {
  ordered_json programs = ordered_json::array();
  const std::vector<std::size_t> needed_at = runtime::segments_needed_at(module);
  for (std::size_t i = 0; i < module.gpu.size(); ++i) {
    const runtime::GpuSegment& s = module.gpu[i];
    const auto& sizes = s.program.buffer_bytes;
    std::size_t apart = 0;
    for (const std::size_t bytes : sizes)
      apart += (bytes + gpu::kArenaAlignment - 1) / gpu::kArenaAlignment * gpu::kArenaAlignment;
    programs.push_back({{"kind", s.kind},
                        {"first_step", s.first_step},
                        {"steps", s.layers.size()},
                        {"launches", s.program.launches.size()},
                        {"memory_bytes", s.program.offsets.empty() ? apart : gpu::arena_bytes(s.program)},
                        {"unshared_memory_bytes", apart},
                        {"constant_bytes", bytes_of(s, s.constants)},
                        {"bytes_to_gpu", bytes_of(s, s.inputs)},
                        {"bytes_from_gpu", bytes_of(s, s.outputs)}});
    ordered_json device = ordered_json::array(), cpu = ordered_json::array();
    for (std::size_t step = s.end_step(); step < needed_at[i]; ++step)
      if (runtime::segment_of(module, step) == nullptr)
        (std::holds_alternative<runtime::DeviceStep>(module.steps[step]) ? device : cpu).push_back(step);
    programs.back()["beside"] = {{"device_steps", device}, {"cpu_steps", cpu}};
  }
  return programs;
}

namespace {

/// "; beside it run step 1 of the device and steps 2, 4 of the CPU".
std::string beside_text(const ordered_json& beside) {
  std::string text;
  for (const auto& [key, who] : {std::pair("device_steps", "device"), {"cpu_steps", "CPU"}}) {
    const auto steps = beside[key].get<std::vector<std::size_t>>();
    if (steps.empty()) continue;
    text += fmt::format("{}step{} {} of the {}", text.empty() ? "; beside it run " : " and ",
                        steps.size() == 1 ? "" : "s", fmt::join(steps, ", "), who);
  }
  return text;
}

}  // namespace

void print_gpu_programs(const ordered_json& programs) {
  for (const ordered_json& p : programs) {
    const auto first = p["first_step"].get<std::size_t>(), steps = p["steps"].get<std::size_t>();
    fmt::print(
        "GPU ({}): step{} in {} launch{}; {} bytes there ({} if none shared space), {} of them constants; a "
        "run copies {} bytes to it "
        "and {} back{}\n",
        p["kind"].get<std::string>(),
        steps == 1 ? fmt::format(" {}", first) : fmt::format("s {} to {}", first, first + steps - 1),
        p["launches"].get<std::size_t>(), p["launches"] == 1 ? "" : "es",
        p["memory_bytes"].get<std::size_t>(), p["unshared_memory_bytes"].get<std::size_t>(),
        p["constant_bytes"].get<std::size_t>(), p["bytes_to_gpu"].get<std::size_t>(),
        p["bytes_from_gpu"].get<std::size_t>(), beside_text(p["beside"]));
  }
}

namespace {

/// Adds the cycles of the layers and of the device's steps.
void add_cycles(const kit::SideBySide& both, ordered_json& run) {
  std::size_t layer = 0;
  for (const kit::SideBySide::Program& program : both.gpu)
    for (const kit::CycleSpan& span : program.layers)
      run["layers"][layer++].update({{"begin", span.begin}, {"cycles", span.cycles}});
  trace::Cycle at_work = 0;
  ordered_json device = ordered_json::array();
  for (const kit::SideBySide::Step& s : both.device) {
    device.push_back({{"step", s.step}, {"begin", s.span.begin}, {"cycles", s.span.cycles}});
    at_work += s.span.cycles;
  }
  run["beside"] = {{"cycles", both.cycles}, {"device_waits", both.cycles - at_work}, {"device", device}};
}

}  // namespace

ordered_json gpu_run_json(const runtime::Module& module, const runtime::Result& result,
                          const gpu::Device& device) {
  ordered_json out{{"device", device.name()}, {"clock", device.clock()}};
  std::uint64_t to = 0, from = 0;
  double seconds = 0, kernels = 0;
  ordered_json layers = ordered_json::array();
  for (const runtime::GpuResult& run : result.gpu) {
    to += run.bytes_to;
    from += run.bytes_from;
    seconds += run.seconds;
    const runtime::GpuSegment& segment = module.gpu.at(run.segment);
    for (std::size_t i = 0; i < segment.layers.size(); ++i) {
      ordered_json layer = layer_json(module, segment, i);
      if (!run.layer_seconds.empty()) {
        layer["seconds"] = run.layer_seconds[i];
        kernels += run.layer_seconds[i];
      }
      layers.push_back(std::move(layer));
    }
  }
  out.update(
      {{"bytes_to_gpu", to}, {"bytes_from_gpu", from}, {"seconds", seconds}, {"kernel_seconds", kernels}});
  out["layers"] = std::move(layers);
  if (result.cycles > 0 && kernels > 0) add_cycles(kit::side_by_side(module, result), out);
  return out;
}

void print_gpu_run(const ordered_json& run) {
  print_table(run["layers"], "on the GPU|operator|template|launches|MACs|us",
              "{name:<32+} {op:<16} {template:<12} {launches:>8} {macs:>11} {seconds*1e6:>10.1f}");
  fmt::print(
      "{}: kernels {:.1f} us by {}; {} bytes copied there and {} back; {:.3f} ms by this machine's clock "
      "with copies and waits, of a first run, in which drivers prepare\n",
      run["device"].get<std::string>(), 1e6 * run["kernel_seconds"].get<double>(),
      run["clock"].get<std::string>(), run["bytes_to_gpu"].get<std::uint64_t>(),
      run["bytes_from_gpu"].get<std::uint64_t>(), 1e3 * run["seconds"].get<double>());
  if (run.contains("beside"))
    fmt::print(
        "device and GPU together: {} cycles at the clock that the variant assumes, of which the device waits "
        "{} for the GPU\n",
        run["beside"]["cycles"].get<std::uint64_t>(), run["beside"]["device_waits"].get<std::uint64_t>());
}

void say_tuned_device(const runtime::Module& module, const kit::Session& session, const Context& context) {
  const std::string& tuned = module.provenance.tuned_device;
  if (tuned.empty() || !session.gpu() || session.gpu()->name() == tuned) return;
  context.say({fmt::format(
      "the knobs of '{}' were tuned on {}, and this run is on {}: others may be faster; tune here (vdla tune "
      "--target {})",
      module.model_name, tuned, session.gpu()->name(), module.gpu.at(0).kind)});
}

}  // namespace vdla::tools
