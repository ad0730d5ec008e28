// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/steps/array_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/pipeline/rewrite/place_network.h"
#include "compiler/pipeline/steps/device_steps.h"
#include "compiler/pipeline/steps/host_steps.h"
#include "compiler/targets/target.h"
#include "compiler/targets/vdla/segment/layer_cache.h"
#include "support/error.h"

namespace vdla::pipeline {
namespace {

constexpr std::size_t kOne = 0, kAll = 1;  // values of the choice
/// Share by which the estimate of two networks can be wrong (decision 58).
constexpr double kSurely = 0.85;

/// Cycles of the steps of the device, where it computes what it can, by the timing model of their
/// instructions; and of what is left to the CPU, as costs take it.
double cycles_with(unsigned rows, const graph::Graph& prepared, CompileOptions options) {
  CompiledModel model;
  model.variant = options.variant;
  options.variant.geometry.batch = rows;
  options.partition = Partition::Capable;
  options.book.reset();
  options.layers.reset();
  options.schedules.clear();
  options.observer = {};
  Placed placed = place_network(prepared, options, Watch());
  model.nodes = report_places(placed.graph, placed.nodes);
  model.graph = std::move(placed.graph);
  double cycles = 0;
  for (const Group& group :
       group_steps(model.graph, placed.nodes, fuse_off_device(model.graph, placed.nodes, options).last))
    if (group.on_device && has_instructions(placed.nodes, group))
      add_device_step(model, placed.nodes, group, options);
  for (graph::NodeId n = 0; n < static_cast<graph::NodeId>(model.nodes.size()); ++n) {
    const NodeReport& node = model.nodes[at(n)];
    cycles += node.estimated_cycles;
    if (node.place == Place::Cpu)
      cycles +=
          targets::cpu().seconds({model.graph, {&n, 1}, options}) * options.variant.timing.clock_mhz * 1e6;
  }
  return cycles;
}

}  // namespace

ArrayRows::ArrayRows(const graph::Graph& prepared, const CompileOptions& options)
    : book_(targets::vdla().book(options)), all_(options.variant.geometry.batch), used_(all_) {
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
  if (!known) known = {cycles_with(1, prepared, options), cycles_with(all_, prepared, options)};
  const auto [one, more] = *known;
  used_ = one < kSurely * more ? 1 : all_;
  const bool uses_one = used_ == 1;
  note_ = fmt::format(
      "; {} of the array's {} rows: {:.0f} cycles are estimated, the CPU's included, and {:.0f} with {}{}",
      used_, all_, uses_one ? one : more, uses_one ? more : one, uses_one ? all_ : 1,
      !uses_one && one < more ? ", no sure gain" : "");
}

CompileOptions ArrayRows::options(CompileOptions options) const {
  options.variant.geometry.batch = used_;
  return options;
}

void ArrayRows::add_note(Placed& placed) const {
  const auto first = std::ranges::find_if(placed.nodes, [](const PlacedNode& n) { return n.op.has_value(); });
  if (first == placed.nodes.end()) return;
  first->reason += note_;
  if (book_ && all_ > 1) first->choices.push_back(choice().task(used_ == 1 ? kOne : kAll));
}

}  // namespace vdla::pipeline
