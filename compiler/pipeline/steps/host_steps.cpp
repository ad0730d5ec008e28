// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/steps/host_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/observe/lower_watched.h"
#include "compiler/pipeline/steps/schedules.h"
#include "compiler/targets/target.h"

namespace vdla::pipeline {
namespace {

HostSlices slices_of(const graph::Graph& graph, const std::vector<Group>& groups,
                     const CompileOptions& options) {
  if (options.gpu) return {};  // functions of the GPU store their results themselves
  std::vector<std::vector<graph::NodeId>> functions;
  for (const Group& group : groups)
    if (!group.on_device) functions.push_back(group.nodes);
  return host_slices(graph, functions);
}

/// The estimate of the knobs that a record has.
double estimate_of(const KnobTask& task, const KnobRecord& record) {
  return task.space.estimate(task.space.parse(record.knobs));
}

}  // namespace

Fusion fuse_off_device(const graph::Graph& graph, const Placement& nodes, const CompileOptions& options) {
  std::vector<bool> fusible;
  for (const PlacedNode& node : nodes) fusible.push_back(options.fuse && node.place == Place::Cpu);
  return fuse_by_book(graph, fusible, cpu_book_of(options));
}

HostSteps::HostSteps(CompiledModel& model, const std::vector<Group>& groups, const CompileOptions& options)
    : model_(model),
      options_(options),
      slices_(slices_of(model.graph, groups, options)),
      book_(targets::cpu().book(options)),
      table_(targets::cpu().table(options.variant.geometry, {})) {
  // A kernel has a task, by which alternatives are found, where a book is asked.
  if (!options.use_device && !book_ && !options.alternatives.empty()) book_ = &none_;
}

void HostSteps::add(const Group& group) {
  const WrittenSchedule* written = written_for(model_.graph, group, options_.schedules);
  note_places(group);
  if (const auto joined = slices_.joined.find(group.nodes[0]); joined != slices_.joined.end()) {
    if (written) written->refuse(kNoFunction);
    return note_joined(group.nodes[0], joined->second);
  }
  const Watch watch(options_.observer, model_.graph.node(group.nodes.back()).name, written);
  HostKernel kernel = blamed(written, [&] { return kernel_of(group, watch, book_); });
  if (written) written->require_functions({kernel.func.name});
  std::string& reason = report(group.nodes.back()).reason;
  if (!kernel.knobs.empty() && book_ != &none_) reason += "; " + kernel.knobs;
  if (written) reason += "; " + written->by();
  const bool is_new = share(kernel);
  blamed(written, [&] { make_code(kernel, is_new, watch); });
  std::vector<OtherKernel> others = others_of(group, kernel, watch);
  HostStep step{std::move(kernel), group.nodes, std::move(others)};
  if (!step.others.empty()) {
    reason += fmt::format("; {} kernels, of which its first runs choose", step.others.size() + 1);
    const KnobTask& task = *step.kernel.task;
    if (const KnobRecord* record = book_->find(task.task, task.context)) {
      step.knobs = record->knobs;
      step.estimate = estimate_of(task, *record);
    }
  }
  model_.steps.emplace_back(std::move(step));
}

void HostSteps::note_places(const Group& group) {
  for (const graph::NodeId n : group.nodes) {
    report(n).place = Place::Cpu;
    report(n).step = static_cast<int>(model_.steps.size());
    if (n != group.nodes.back())
      report(n).reason += ", computed with '" + model_.graph.node(group.nodes.back()).name + "'";
  }
}

void HostSteps::note_joined(graph::NodeId node, const std::vector<graph::NodeId>& makers) {
  report(node).reason += "; its inputs are stored in their places";
  report(node).step = -1;
  for (const graph::NodeId maker : makers)
    report(node).step = std::max(report(node).step, report(maker).step);
}

HostKernel HostSteps::kernel_of(const Group& group, const Watch& watch, const KnobBook* book) const {
  targets::Answer answer = targets::cpu().takes({.graph = model_.graph,
                                                 .nodes = group.nodes,
                                                 .options = options_,
                                                 .knobs = {.book = book},
                                                 .watch = watch});
  HostKernel& kernel = std::get<targets::Function>(answer).kernel;
  const auto slice = slices_.by_tensor.find(model_.graph.node(group.nodes.back()).output);
  return slice == slices_.by_tensor.end() ? std::move(kernel)
                                          : stored_in(std::move(kernel), model_.graph, slice->second);
}

bool HostSteps::share(HostKernel& kernel) {
  auto [func, is_new] = functions_.add(std::move(kernel.func));
  kernel.func = std::move(func);
  return is_new;
}

void HostSteps::make_code(const HostKernel& kernel, bool is_new, const Watch& watch) {
  const bool is_code = is_new && options_.machine_code;
  if (!is_code && !watch.watches()) return;
  loop::Func code = lower_by(table_, kernel.func, watch);
  if (options_.machine_code) show_llvm_ir(code, options_, watch);
  if (is_code) model_.host_code.push_back(std::move(code));
}

std::vector<OtherKernel> HostSteps::others_of(const Group& group, const HostKernel& own, const Watch& watch) {
  std::vector<OtherKernel> others;
  if (options_.use_device || options_.alternatives.empty() || !own.task || watch.written()) return others;
  const KnobTask& task = *own.task;
  const KnobBook by_default{target_of(options_), {}, {}};
  std::set<std::string> taken{own.func.name};
  const auto add = [&](const KnobBook& book, const KnobRecord* record) {
    if (others.size() + 1 == kMostKernels) return;
    HostKernel kernel = kernel_of(group, watch, &book);
    const bool is_new = share(kernel);
    if (!taken.insert(kernel.func.name).second) return;
    if (is_new && options_.machine_code) model_.host_code.push_back(lower_by(table_, kernel.func, watch));
    others.push_back(
        {std::move(kernel), record ? record->knobs : "", record ? estimate_of(task, *record) : 0});
  };
  if (options_.book && options_.book->find(task.task, task.context)) add(by_default, nullptr);
  for (const KnobBook& book : options_.alternatives)
    if (const KnobRecord* record = book.find(task.task, task.context)) add(book, record);
  return others;
}

}  // namespace vdla::pipeline
