// SPDX-License-Identifier: Apache-2.0
// vdla tune --best: what a book says of a network's layers, and their schedules as text that one can keep.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <variant>

#include "compiler/pipeline/compile.h"
#include "kit/network.h"
#include "support/error.h"
#include "support/inert.h"
#include "support/output_folder.h"
#include "tools/data/files.h"
#include "tools/vdla/common/cpu_level.h"
#include "tools/vdla/common/variant_name.h"
#include "tools/vdla/compile/layer_watch.h"
#include "tools/vdla/compile/schedule_files.h"
#include "tools/vdla/tune/flags.h"

namespace vdla::tools {
namespace {

/// A layer that has knobs; `node` is what a watch of the compile knows it by.
struct BestLayer {
  std::string node;
  pipeline::KnobTask task;
};

std::vector<BestLayer> best_layers_of(const pipeline::CompiledModel& model) {
  std::vector<BestLayer> layers;
  for (const pipeline::Step& step : model.steps) {
    if (const auto* host = std::get_if<pipeline::HostStep>(&step)) {
      if (host->kernel.task) layers.push_back({host->kernel.node, *host->kernel.task});
      continue;
    }
    for (const pipeline::KnobTask& task : std::get<pipeline::DeviceStep>(step).tasks)
      if (!task.plan) layers.push_back({task.node, task});
  }
  return layers;
}

std::vector<BestLayer> best_layers_on_gpu(const pipeline::CompiledModel& model) {
  std::vector<BestLayer> layers;
  for (const targets::GpuSteps& steps : model.gpu)
    for (const targets::GridFunction& function : steps.network.functions)
      if (function.task) layers.push_back({function.layer, *function.task});
  return layers;
}

/// Names of files for those of nodes, no two of which are the same, also where letters have no case.
class FileNames {
 public:
  std::string of(const std::string& node) {
    std::string name;
    for (const char c : node) name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ? c : '_';
    std::string wanted = name;
    for (int i = 2; !taken_.insert(lower(wanted)).second; ++i) wanted = fmt::format("{}_{}", name, i);
    return wanted + ".schedule";
  }

 private:
  static std::string lower(std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  }
  std::set<std::string> taken_;
};

/// As compiler/schedule/script.h reads it, behind lines of comment that say what it is.
std::string file_text(const BestLayer& layer, const pipeline::KnobRecord& record, const std::string& target,
                      const std::vector<FunctionText>& schedules) {
  std::string text = fmt::format("# {}\n# {}; {}\n# {} (record {})\n# {}\n", comment_text(layer.node),
                                 layer.task.task, layer.task.context, record.knobs, record.record, target);
  return text + schedule_text(layer.node, schedules);
}

std::vector<BestLayer> layers_without_gpu(const TuneFlags& f, const pipeline::KnobBook& book,
                                          const pipeline::Observer& observer) {
  pipeline::CompileOptions options;
  options.use_device = f.target == "vdla";
  if (options.use_device) {
    options.variant = named_variant(f.variant);
    options.partition = pipeline::Partition::Cost;
  } else {
    set_cpu_level(options, f.cpu);
  }
  options.machine_code = false;
  options.book = book;
  options.observer = observer;
  return best_layers_of(pipeline::compile(kit::read_network(f.model), options));
}

std::vector<BestLayer> layers_on_gpu(const TuneFlags& f, const pipeline::KnobBook& book,
                                     const pipeline::Observer& observer) {
  pipeline::CompileOptions options = f.gpu_options();
  options.gpu->book = book;
  options.observer = observer;
  return best_layers_on_gpu(pipeline::compile(kit::read_network(f.model), options));
}

}  // namespace

void tune_best(const TuneFlags& f, const Context& context) {
  const auto book = book_in(f.book);
  VDLA_CHECK_USER(book) << "--best: there is no book '" << f.book << "'";
  LayerWatch watch;
  const pipeline::Observer observer = f.as_schedule.empty() ? pipeline::Observer() : watch.observer();
  const std::vector<BestLayer> with_knobs =
      f.on_gpu() ? layers_on_gpu(f, *book, observer) : layers_without_gpu(f, *book, observer);
  std::optional<NewFolder> schedules;
  if (!f.as_schedule.empty()) schedules.emplace(f.as_schedule);
  const std::string gpu = f.on_gpu() ? f.target : "";
  FileNames names;
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  std::string text;
  std::size_t tuned = 0, written = 0;
  for (const BestLayer& layer : with_knobs) {
    const pipeline::KnobRecord* record = book->find(layer.task.task, layer.task.context);
    nlohmann::ordered_json row{
        {"node", layer.node}, {"task", layer.task.task}, {"context", layer.task.context}};
    row["knobs"] = record ? nlohmann::ordered_json(record->knobs) : nlohmann::ordered_json();
    text += fmt::format("{}: {}; {}\n    {}\n", layer.node, layer.task.task, layer.task.context,
                        record ? record->knobs : "default knobs");
    tuned += record ? 1 : 0;
    if (const auto schedules = watch.of(layer.node, gpu).schedules; record && !schedules.empty()) {
      const std::string path = (std::filesystem::path(f.as_schedule) / names.of(layer.node)).string();
      write_file(path, file_text(layer, *record, book->target, schedules));
      row["schedule"] = path;
      ++written;
    }
    layers.push_back(std::move(row));
  }
  const std::size_t all = layers.size();
  context.report({{"book", f.book}, {"target", book->target}, {"layers", std::move(layers)}}, [&] {
    fmt::print("{}{} of {} layers that have knobs have a record\n", text, tuned, all);
    if (!f.as_schedule.empty()) fmt::print("{} schedules written to {}\n", written, f.as_schedule);
  });
}

}  // namespace vdla::tools
