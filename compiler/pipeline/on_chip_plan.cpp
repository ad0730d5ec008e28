// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/on_chip_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/graph/memory_plan.h"
#include "compiler/pipeline/device/lower.h"

namespace vdla::pipeline {

namespace {

using device::OnChip;
using graph::NodeId;
using graph::TensorId;

constexpr const char* kStays = "its result stays on chip";
const std::string kGoes = "its result goes to DRAM: ";

std::int64_t entries_of(const device::Image& image, const isa::Geometry& g) {
  return device::activation_bytes(image, g) / g.block_in;
}

/// Gives each resident its entries; the highest offset comes first.
void place_residents(std::map<TensorId, Resident>& residents, std::int64_t depth) {
  std::vector<graph::Lifetime> lifetimes;
  for (const auto& [root, r] : residents) lifetimes.push_back({r.entries, r.first, r.last});
  const graph::MemoryPlan plan = graph::plan_memory(lifetimes, 1);
  std::size_t i = 0;
  for (auto& [root, r] : residents) r.base = depth - plan.offsets[i++] - r.entries;
}

std::int64_t room_at(const std::map<TensorId, Resident>& residents, int step, std::int64_t depth) {
  std::int64_t room = depth;
  for (const auto& [root, r] : residents)
    if (r.first <= step && step <= r.last) room = std::min(room, r.base);
  return room;
}

/// room_at() of all steps, in time that grows with their number and that of lifetimes.
std::vector<std::int64_t> rooms_of(const std::map<TensorId, Resident>& residents, int steps,
                                   std::int64_t depth) {
  std::vector<std::int64_t> rooms(static_cast<std::size_t>(steps), depth);
  for (const auto& [root, r] : residents)
    for (int step = r.first; step <= r.last; ++step) {
      std::int64_t& room = rooms[static_cast<std::size_t>(step)];
      room = std::min(room, r.base);
    }
  return rooms;
}

class Planner {
 public:
  Planner(const graph::Graph& graph, const std::vector<PlacedNode>& nodes, const std::vector<NodeId>& group,
          const std::vector<bool>& leaving, const Roots& roots, const isa::Variant& variant)
      : graph_(graph),
        nodes_(nodes),
        group_(group),
        leaving_(leaving),
        roots_(roots),
        variant_(variant),
        notes_(group.size()),
        rooms_(rooms_of({}, static_cast<int>(group.size()), variant.geometry.inp_depth)) {}

  std::map<TensorId, Resident> run() {
    std::vector<std::pair<std::int64_t, TensorId>> order;  // traffic saved, less is more
    std::map<TensorId, Resident> candidates;
    for (int step = 0; step < steps(); ++step) {
      if (!op(step)) continue;
      int readers = 0;
      if (const auto why = not_possible(step, candidates, readers)) {
        notes_[at(step)] = kGoes + *why;
        continue;
      }
      order.emplace_back(-(1 + readers) * entries_of(device::output_of(*op(step)), variant_.geometry),
                         made_at(step));
    }
    std::ranges::stable_sort(order, {}, &std::pair<std::int64_t, TensorId>::first);
    for (const auto& [saved, root] : order) try_to_keep(root, candidates.at(root));
    return std::move(residents_);
  }

  std::vector<std::string> notes() { return std::move(notes_); }

 private:
  static std::size_t at(int step) { return static_cast<std::size_t>(step); }
  int steps() const { return static_cast<int>(group_.size()); }
  const PlacedNode& node(int step) const { return nodes_[static_cast<std::size_t>(group_[at(step)])]; }
  const std::optional<device::Op>& op(int step) const { return node(step).op; }
  TensorId made_at(int step) const { return roots_(graph_.node(group_[at(step)]).output); }

  /// Why the result of a step cannot stay on chip; else it is a candidate with so many readers.
  std::optional<std::string> not_possible(int step, std::map<TensorId, Resident>& candidates,
                                          int& readers) const {
    const TensorId root = made_at(step);
    if (const auto why = device::bound_to_dram(*op(step), variant_.geometry)) return why;
    for (NodeId n : group_) {
      const TensorId output = graph_.node(n).output;
      if (roots_(output) == root && leaving_[static_cast<std::size_t>(output)]) return "it is read outside";
    }
    Resident r;
    r.image = device::output_of(*op(step));
    r.first = r.last = step;
    std::optional<std::int32_t> pad;
    for (int reader = step + 1; reader < steps(); ++reader) {
      for (std::size_t i = 0; op(reader) && i < node(reader).inputs.size(); ++i) {
        if (roots_(node(reader).inputs[i]) != root) continue;
        if (const auto why = not_readable(reader, i, r, pad)) return why;
        r.last = reader;
        ++readers;
      }
    }
    r.pad = pad.value_or(0);
    r.entries = entries_of(device::bordered(r.image, r.border), variant_.geometry);
    if (r.entries > variant_.geometry.inp_depth)
      return fmt::format("{} entries, inp has {}", r.entries, variant_.geometry.inp_depth);
    candidates[root] = r;
    return std::nullopt;
  }

  /// Why the layer cannot read `r` as its input `i`; else takes in what it needs.
  std::optional<std::string> not_readable(int reader, std::size_t i, Resident& r,
                                          std::optional<std::int32_t>& pad) const {
    const device::Op& by = *op(reader);
    const std::string& name = device::name_of(by);
    if (const auto why = device::bound_to_dram(by, variant_.geometry)) return name + ": " + *why;
    if (device::inputs_of(by)[i] != r.image) return name + " reads it in another shape";
    if (i == 1 && std::holds_alternative<device::Conv2d>(by)) return name + " adds it from out";
    if (i == 1) return std::nullopt;
    const device::Padding padding = device::padding_of(by);
    if (!padding.border.any()) return std::nullopt;
    if (pad && *pad != padding.value) return name + " pads it with another number";
    pad = padding.value;
    r.border = device::around_both(r.border, padding.border);
    return std::nullopt;
  }

  void try_to_keep(TensorId root, const Resident& candidate) {
    std::map<TensorId, Resident> with = residents_;
    with[root] = candidate;
    place_residents(with, variant_.geometry.inp_depth);
    std::vector<std::int64_t> rooms = rooms_of(with, steps(), variant_.geometry.inp_depth);
    double before = 0, after = 0;
    std::string& note = notes_[at(candidate.first)];
    for (int step = 0; step < steps(); ++step) {
      if (!op(step) || (rooms[at(step)] == rooms_[at(step)] && !touches(step, root))) continue;
      const auto cycles = estimate(step, with, rooms);
      if (!cycles) {
        note =
            kGoes + fmt::format("{} entries of inp find no room beside the tiles of {} and what stays there",
                                candidate.entries, device::name_of(*op(step)));
        return;
      }
      after += *cycles;
      before += *estimate(step, residents_, rooms_);
    }
    if (after >= before) {
      note = kGoes +
             fmt::format("{:.0f} cycles more are estimated otherwise, for smaller tiles", after - before);
      return;
    }
    note = kStays;
    residents_ = std::move(with);
    rooms_ = std::move(rooms);
  }

  /// The step reads or makes the tensor.
  bool touches(int step, TensorId root) const {
    const std::vector<TensorId>& inputs = node(step).inputs;
    return roots_(inputs[0]) == root || (inputs.size() > 1 && roots_(inputs[1]) == root) ||
           made_at(step) == root;
  }

  /// What a layer's estimate depends on.
  struct Situation {
    OnChip on_chip;
    std::int64_t room;
    auto operator<=>(const Situation&) const = default;
  };

  Situation situation(int step, const std::map<TensorId, Resident>& residents,
                      const std::vector<std::int64_t>& rooms) const {
    const std::vector<TensorId>& inputs = node(step).inputs;
    const bool second = inputs.size() > 1 && residents.contains(roots_(inputs[1]));
    return {{residents.contains(roots_(inputs[0])), second, residents.contains(made_at(step))},
            rooms[at(step)]};
  }

  std::optional<double> estimate(int step, const std::map<TensorId, Resident>& residents,
                                 const std::vector<std::int64_t>& rooms) {
    const Situation s = situation(step, residents, rooms);
    if (s.room < 0) return std::nullopt;
    const auto [entry, is_new] = estimates_.try_emplace({step, s});
    if (is_new)
      entry->second = device::estimate(*op(step), variant_.geometry, variant_.timing, s.on_chip, s.room);
    return entry->second;
  }

  const graph::Graph& graph_;
  const std::vector<PlacedNode>& nodes_;
  const std::vector<NodeId>& group_;
  const std::vector<bool>& leaving_;
  const Roots& roots_;
  const isa::Variant& variant_;
  std::vector<std::string> notes_;
  std::map<TensorId, Resident> residents_;
  std::vector<std::int64_t> rooms_;  ///< beside residents_, by step
  std::map<std::pair<int, Situation>, std::optional<double>> estimates_;
};

}  // namespace

OnChipPlan::OnChipPlan(const graph::Graph& graph, const std::vector<PlacedNode>& nodes,
                       const std::vector<NodeId>& group, const std::vector<bool>& leaving, const Roots& roots,
                       const isa::Variant& variant)
    : depth_(variant.geometry.inp_depth) {
  Planner planner(graph, nodes, group, leaving, roots, variant);
  residents_ = planner.run();
  notes_ = planner.notes();
}

const Resident* OnChipPlan::find(TensorId root) const {
  const auto found = residents_.find(root);
  return found == residents_.end() ? nullptr : &found->second;
}

std::int64_t OnChipPlan::room(int step) const { return room_at(residents_, step, depth_); }

}  // namespace vdla::pipeline
