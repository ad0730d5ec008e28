// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "compiler/graph/text/text.h"
#include "compiler/knobs/choice.h"
#include "compiler/observe/lower_watched.h"
#include "compiler/observe/pass_list.h"
#include "compiler/pipeline/place/group.h"
#include "compiler/pipeline/place/island_places.h"
#include "compiler/pipeline/place/islands.h"
#include "compiler/pipeline/place/partition.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "compiler/targets/cpu/kernels/functions.h"
#include "compiler/targets/cpu/kernels/fusion.h"
#include "compiler/targets/cpu/kernels/host_kernel.h"
#include "compiler/targets/cpu/kernels/in_place.h"
#include "compiler/targets/gpu/place/segments.h"
#include "compiler/targets/vdla/segment/device_segment.h"
#include "compiler/targets/vdla/segment/layer_cache.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::pipeline {

namespace {

/// Tensors that something outside of the group reads: another group, or the caller.
std::vector<bool> leaving_tensors(const graph::Graph& g, const Placement& nodes, const Group& group) {
  std::vector<bool> result(g.tensors.size()), inside(nodes.size());
  for (graph::NodeId n : group.nodes) inside[static_cast<std::size_t>(n)] = true;
  for (const graph::Port& port : g.outputs) result[static_cast<std::size_t>(port.tensor)] = true;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (graph::TensorId id : nodes[i].inputs)
      if (!inside[i] && id != graph::kNone) result[static_cast<std::size_t>(id)] = true;
  return result;
}

void add_device_step(CompiledModel& model, const Placement& nodes, const Group& group,
                     const CompileOptions& options) {
  DeviceStep step =
      device_segment(model.graph, nodes, group.nodes, leaving_tensors(model.graph, nodes, group), options,
                     model.variant.geometry);
  report_step(model.graph, nodes, group, step, static_cast<int>(model.steps.size()), model.variant,
              model.nodes);
  model.steps.emplace_back(std::move(step));
}

/// A group of nothing but reshapes has no instruction; the CPU copies.
bool only_reshapes(const Placement& nodes, const Group& group) {
  return std::none_of(group.nodes.begin(), group.nodes.end(),
                      [&](graph::NodeId n) { return nodes[static_cast<std::size_t>(n)].op.has_value(); });
}

/// The groups of the nodes on the CPU; the device fuses its own.
Fusion fuse_on_cpu(const graph::Graph& g, const Placement& nodes, const CompileOptions& options) {
  std::vector<bool> fusible;
  for (const PlacedNode& node : nodes) fusible.push_back(options.fuse && node.place == Place::Cpu);
  return fuse_by_book(g, fusible, cpu_book_of(options));
}

/// Kernels of a step by the books of options.alternatives, each function once; `placed`: with its result
/// where it lies.
std::vector<OtherKernel> other_kernels(CompiledModel& model, const Group& group, const HostKernel& own,
                                       const CompileOptions& options, Functions& functions,
                                       const Watch& watch,
                                       const std::function<HostKernel(HostKernel)>& placed) {
  std::vector<OtherKernel> others;
  if (options.use_device || options.alternatives.empty() || !own.task || watch.written()) return others;
  const KnobTask& task = *own.task;
  const KnobBook by_default{target_of(options), {}, {}};
  std::set<std::string> taken{own.func.name};
  const auto add = [&](const KnobBook& book, const KnobRecord* record) {
    if (others.size() + 1 == kMostKernels) return;
    HostKernel kernel = placed(host_kernel(model.graph, group.nodes, options.cpu, watch, &book));
    auto [func, is_new] = functions.add(std::move(kernel.func));
    kernel.func = std::move(func);
    if (!taken.insert(kernel.func.name).second) return;
    if (is_new && options.machine_code)
      model.host_code.push_back(lower_by(passes::cpu_target(), kernel.func, watch));
    const double estimate = record ? task.space.estimate(task.space.parse(record->knobs)) : 0;
    others.push_back({std::move(kernel), record ? record->knobs : "", estimate});
  };
  if (options.book && options.book->find(task.task, task.context)) add(by_default, nullptr);
  for (const KnobBook& book : options.alternatives)
    if (const KnobRecord* record = book.find(task.task, task.context)) add(book, record);
  return others;
}

HostSlices slices_of(const graph::Graph& graph, const std::vector<Group>& groups,
                     const CompileOptions& options) {
  if (options.gpu) return {};  // functions of the GPU store their results themselves
  std::vector<std::vector<graph::NodeId>> functions;
  for (const Group& group : groups)
    if (!group.on_device) functions.push_back(group.nodes);
  return host_slices(graph, functions);
}

/// The schedule that a person wrote for the function of the group, by the name of any of its nodes; or null.
const WrittenSchedule* written_for(const graph::Graph& graph, const Group& group,
                                   const WrittenSchedules& schedules) {
  const WrittenSchedule* written = nullptr;
  for (const graph::NodeId n : group.nodes) {
    const WrittenSchedule* found = find_schedule(schedules, graph.node(n).name);
    if (found && written)
      found->refuse("one function computes this layer and '" + written->layer() + "', which has " +
                    written->by());
    if (found) written = found;
  }
  return written;
}

/// ScheduleFault for a schedule of a layer that the network does not have.
void require_layers(const WrittenSchedules& schedules, const std::vector<NodeReport>& nodes) {
  std::vector<std::string> names;
  for (const NodeReport& n : nodes) names.push_back(n.name);
  for (const auto& [layer, schedule] : schedules)
    if (std::ranges::count(names, layer) == 0)
      throw ScheduleFault(schedule.file() + ": the network has no layer '" + layer + "'" +
                          did_you_mean(layer, names) + "; vdla explain lists them");
}

/// ScheduleFault for a schedule of a layer that no step computes.
void require_steps(const WrittenSchedules& schedules, const std::vector<NodeReport>& nodes) {
  for (const NodeReport& node : nodes)
    if (const WrittenSchedule* written = find_schedule(schedules, node.name); written && node.step < 0)
      written->refuse(kNoFunction);
}

void add_host_step(CompiledModel& model, const Group& group, const HostSlices& slices,
                   const CompileOptions& options, Functions& functions) {
  const std::string& last = model.graph.node(group.nodes.back()).name;
  const WrittenSchedule* written = written_for(model.graph, group, options.schedules);
  for (graph::NodeId n : group.nodes) {
    NodeReport& report = model.nodes[static_cast<std::size_t>(n)];
    report.place = Place::Cpu;
    report.step = static_cast<int>(model.steps.size());
    if (n != group.nodes.back()) report.reason += ", computed with '" + last + "'";
  }
  if (const auto joined = slices.joined.find(group.nodes[0]); joined != slices.joined.end()) {
    NodeReport& report = model.nodes[at(group.nodes[0])];
    if (written) written->refuse(kNoFunction);
    report.reason += "; its inputs are stored in their places";
    report.step = -1;
    for (const graph::NodeId maker : joined->second)
      report.step = std::max(report.step, model.nodes[at(maker)].step);
    return;
  }
  const Watch watch(options.observer, last, written);
  const KnobBook none;
  const KnobBook* book = cpu_book_of(options);
  // Answers what could be asked for.
  if (!options.use_device && !book && !options.alternatives.empty()) book = &none;
  const auto slice = slices.by_tensor.find(model.graph.node(group.nodes.back()).output);
  const auto placed = [&](HostKernel made) {
    return slice == slices.by_tensor.end() ? made : stored_in(std::move(made), model.graph, slice->second);
  };
  HostKernel kernel = blamed(
      written, [&] { return placed(host_kernel(model.graph, group.nodes, options.cpu, watch, book)); });
  if (written) written->require_functions({kernel.func.name});
  std::string& reason = model.nodes[static_cast<std::size_t>(group.nodes.back())].reason;
  if (!kernel.knobs.empty() && book != &none) reason += "; " + kernel.knobs;
  if (written) reason += "; " + written->by();
  auto [func, is_new] = functions.add(std::move(kernel.func));
  kernel.func = std::move(func);
  if (watch.watches() || (is_new && options.machine_code)) {
    loop::Func code = blamed(written, [&] { return lower_by(passes::cpu_target(), kernel.func, watch); });
    if (options.machine_code) show_llvm_ir(code, options, watch);
    if (is_new && options.machine_code) model.host_code.push_back(std::move(code));
  }
  std::vector<OtherKernel> others = other_kernels(model, group, kernel, options, functions, watch, placed);
  HostStep step{std::move(kernel), group.nodes, std::move(others)};
  if (!step.others.empty()) {
    reason += fmt::format("; {} kernels, of which its first runs choose", step.others.size() + 1);
    const KnobTask& task = *step.kernel.task;
    if (const KnobRecord* record = book->find(task.task, task.context)) {
      step.knobs = record->knobs;
      step.estimate = task.space.estimate(task.space.parse(record->knobs));
    }
  }
  model.steps.emplace_back(std::move(step));
}

std::string text_of(const graph::Graph& graph, const Placement& nodes) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    text += fmt::format("{}: {}: {}\n", name_of(nodes[i].place), graph.nodes[i].name, nodes[i].reason);
  return text;
}

std::string text_of(const graph::Graph& graph, const std::vector<Group>& groups) {
  std::string text;
  for (const Group& group : groups) {
    std::vector<std::string> names;
    for (graph::NodeId n : group.nodes) names.push_back(graph.node(n).name);
    text += fmt::format("{}: {}\n", name_of(group.on_device ? Place::Device : Place::Cpu),
                        fmt::join(names, ", "));
  }
  return text;
}

/// Rewrites a graph for the device and places its nodes as options.partition says. Where costs move nodes to
/// the CPU others can be left alone on the device: again, until every island that is left pays.
Placed place(const graph::Graph& graph, const CompileOptions& options, const Watch& watch) {
  KeptOff kept_off = pipeline::kept_off(options);
  IslandPlaces places(book_of(options));
  for (;;) {
    Placed placed;
    GraphChoices choices;
    placed.graph = run_passes(graph_passes(PassFor::Device), graph, options, kept_off, watch, &choices);
    placed.nodes = partition(placed.graph, options, kept_off);
    add_choices(choices, placed);
    watch(Pass::Partition, [&] { return text_of(placed.graph, placed.nodes); });
    if (options.partition == Partition::Capable || !options.use_device) return placed;
    const std::vector<Island> islands = islands_of(placed.graph, placed.nodes, options);
    watch(Pass::CompareCosts, [&] { return places.text_of(islands); });
    if (!places.move_to_cpu(islands, placed, kept_off)) return placed;
  }
}

/// How many rows of the array layers use. With one, each pixel has an entry of its own: then pieces of
/// convolutions can be joined and windows read what lies on chip; with all, the array makes as many pixels at
/// once.
class Rows {
 public:
  Rows(const graph::Graph& prepared, const CompileOptions& options)
      : book_(options.use_device ? book_of(options) : nullptr),
        all_(options.variant.geometry.batch),
        used_(all_) {
    VDLA_CHECK_USER(!options.rows || *options.rows == 1 || *options.rows == all_)
        << "--rows is " << *options.rows << ", needs 1, or the " << all_ << " of the variant's batch";
    if (!options.use_device || all_ == 1) return;
    const Choice choice = this->choice();
    if (options.rows || choice.wanted()) {
      used_ = options.rows ? *options.rows : *choice.wanted() == kOne ? 1 : all_;
      note_ = fmt::format("; {} of the array's {} rows{}", used_, all_, options.rows ? "" : choice.by());
      return;
    }
    std::optional<RowCycles> own;
    std::optional<RowCycles>& known = options.layers ? options.layers->rows : own;
    if (!known) known = {cycles(prepared, options, 1), cycles(prepared, options, all_)};
    const auto [one, more] = *known;
    used_ = one < kSurely * more ? 1 : all_;
    const bool uses_one = used_ == 1;
    note_ = fmt::format(
        "; {} of the array's {} rows: {:.0f} cycles are estimated, the CPU's included, and {:.0f} with {}{}",
        used_, all_, uses_one ? one : more, uses_one ? more : one, uses_one ? all_ : 1,
        !uses_one && one < more ? ", no sure gain" : "");
  }

  /// Options for a machine that has no more than these.
  CompileOptions options(CompileOptions options) const {
    options.variant.geometry.batch = used_;
    return options;
  }
  void add_note(Placed& placed) const {
    const auto first =
        std::ranges::find_if(placed.nodes, [](const PlacedNode& n) { return n.op.has_value(); });
    if (first == placed.nodes.end()) return;
    first->reason += note_;
    if (book_ && all_ > 1) first->choices.push_back(choice().task(used_ == 1 ? kOne : kAll));
  }

 private:
  static constexpr std::size_t kOne = 0, kAll = 1;  // values of the choice
  /// Share by which the estimate of two networks can be wrong (decision 58).
  static constexpr double kSurely = 0.85;

  Choice choice() const { return {book_, "rows of the array", "used", {"one", "all"}}; }

  /// Cycles of the steps of the device, where it computes what it can, by the timing model of their
  /// instructions; and of what is left to the CPU, as costs take it.
  static double cycles(const graph::Graph& prepared, CompileOptions options, unsigned rows) {
    CompiledModel model;
    model.variant = options.variant;
    options.variant.geometry.batch = rows;
    options.partition = Partition::Capable;
    options.book.reset();
    options.layers.reset();
    options.schedules.clear();
    options.observer = {};
    Placed placed = place(prepared, options, Watch());
    model.nodes = report_places(placed.graph, placed.nodes);
    model.graph = std::move(placed.graph);
    double cycles = 0;
    for (const Group& group :
         group_steps(model.graph, placed.nodes, fuse_on_cpu(model.graph, placed.nodes, options).last))
      if (group.on_device && !only_reshapes(placed.nodes, group))
        add_device_step(model, placed.nodes, group, options);
    for (graph::NodeId n = 0; n < static_cast<graph::NodeId>(model.nodes.size()); ++n) {
      const NodeReport& node = model.nodes[at(n)];
      cycles += node.estimated_cycles;
      if (node.place == Place::Cpu)
        cycles += cpu_seconds(model.graph, n, options.host) * options.variant.timing.clock_mhz * 1e6;
    }
    return cycles;
  }

  const KnobBook* book_;  ///< or null
  unsigned all_, used_;
  std::string note_;
};

}  // namespace

CompiledModel compile(const graph::Graph& graph, const CompileOptions& asked) {
  const Watch watch(asked.observer);
  require_fitting_books(asked);
  VDLA_CHECK_USER(asked.gpu || asked.on_gpu.empty())
      << "node '" << *asked.on_gpu.begin()
      << "' is wanted on the GPU, and no GPU is among the targets; ask for "
      << "one (CompileOptions::gpu), or leave the node out of CompileOptions::on_gpu";
  watch(Pass::Import, [&] { return graph::print(graph, graph::Data::LeftOut); });
  GraphChoices on_cpu;
  const graph::Graph prepared =
      run_passes(graph_passes(PassFor::Cpu), run_passes(graph, watch), asked, {}, watch, &on_cpu);
  for (const std::string& name : asked.on_cpu) find_node(prepared, name);  // UserError where it is none
  const Rows rows(prepared, asked);
  const CompileOptions options = rows.options(asked);
  Placed placed = place(prepared, options, watch);
  rows.add_note(placed);
  const Fusion fusion = fuse_on_cpu(placed.graph, placed.nodes, options);
  add_choices(on_cpu, placed);
  add_choices(fusion.choices, placed);
  const Placement& nodes = placed.nodes;
  std::vector<NodeReport> reports = report_places(placed.graph, nodes);
  CompiledModel model;
  model.graph = std::move(placed.graph);
  model.variant = asked.variant;
  model.use_device = options.use_device;
  model.nodes = std::move(reports);
  require_layers(options.schedules, model.nodes);
  model.moved_seconds = placed.moved_seconds;
  for (const PlacedNode& node : nodes)
    model.choices.insert(model.choices.end(), node.choices.begin(), node.choices.end());
  Functions functions;
  const std::vector<Group> groups = group_steps(model.graph, nodes, fusion.last);
  watch(Pass::GroupSteps, [&] { return text_of(model.graph, groups); });
  const HostSlices slices = slices_of(model.graph, groups, options);
  for (const Group& group : groups) {
    if (group.on_device && !only_reshapes(nodes, group)) {
      add_device_step(model, nodes, group, options);
      continue;
    }
    if (group.on_device) {
      for (graph::NodeId n : group.nodes) add_host_step(model, {false, {n}}, {}, options, functions);
    } else {
      add_host_step(model, group, slices, options, functions);
    }
  }
  require_steps(options.schedules, model.nodes);
  if (!model.host_code.empty()) model.objects = host_objects(model.host_code, options);
  if (options.gpu) targets::place_on_gpu(model, options);
  return model;
}

}  // namespace vdla::pipeline
