// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/segment/on_chip_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "compiler/graph/memory_plan.h"
#include "compiler/knobs/choice.h"
#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/lower.h"

namespace vdla::pipeline {

namespace {

using device::OnChip;
using graph::NodeId;
using graph::TensorId;

constexpr const char* kStays = "its result stays on chip";
const std::string kGoes = "its result goes to DRAM: ";
constexpr std::size_t kDram = 0, kInp = 1;  // values of the choice

/// The machine with one pixel in an entry and K = N, otherwise the same.
isa::Geometry square(isa::Geometry g) {
  g.batch = 1;
  g.block_out = g.block_in;
  return g;
}

/// The layers of a step, and which of their results could stay on chip.
class StepLayers {
 public:
  StepLayers(const graph::Graph& graph, const Placement& nodes, const std::vector<NodeId>& group,
             const std::vector<bool>& leaving, const Roots& roots)
      : graph_(graph), nodes_(nodes), group_(group), roots_(roots) {
    for (int layer = 0; layer < layers(); ++layer) {
      const TensorId output = graph_.node(group_[at(layer)]).output;
      if (leaving[static_cast<std::size_t>(output)]) left_.insert(roots_(output));
      for (std::size_t i = 0; op(layer) && i < node(layer).inputs.size(); ++i)
        readers_[roots_(node(layer).inputs[i])].emplace_back(layer, i);
    }
  }

  static std::size_t at(int layer) { return static_cast<std::size_t>(layer); }
  int layers() const { return static_cast<int>(group_.size()); }
  const PlacedNode& node(int layer) const { return nodes_[static_cast<std::size_t>(group_[at(layer)])]; }
  const std::optional<device::Op>& op(int layer) const { return node(layer).op; }
  TensorId made_at(int layer) const { return roots_(graph_.node(group_[at(layer)]).output); }
  TensorId root(TensorId id) const { return roots_(id); }
  const std::string& name_of(TensorId id) const { return graph_.tensor(id).name; }

  /// Why the result of a layer cannot stay on chip of this machine; else it is a candidate with `readers`
  /// readers.
  std::optional<std::string> not_possible(int layer, const isa::Geometry& g,
                                          std::map<TensorId, Resident>& candidates, int& readers) const {
    const TensorId root = made_at(layer);
    if (const auto why = device::bound_to_dram(*op(layer), g)) return why;
    if (left_.contains(root)) return "it is read outside";
    Resident r;
    r.image = device::output_of(*op(layer));
    r.first = r.last = layer;
    std::optional<std::int32_t> pad;
    const auto by = readers_.find(root);
    for (std::size_t k = 0; by != readers_.end() && k < by->second.size(); ++k) {
      const auto [reader, i] = by->second[k];
      if (reader <= layer) continue;
      if (const auto why = not_readable(reader, i, g, r, pad)) return why;
      r.last = reader;
      ++readers;
    }
    r.pad = pad.value_or(0);
    r.entries = device::inp_entries(r.image, r.border, g);
    if (r.entries > g.inp_depth) return fmt::format("{} entries, inp has {}", r.entries, g.inp_depth);
    candidates[root] = r;
    return std::nullopt;
  }

 private:
  /// Why the layer cannot read `r` as its input `i`; else takes in what it needs.
  std::optional<std::string> not_readable(int reader, std::size_t i, const isa::Geometry& g, Resident& r,
                                          std::optional<std::int32_t>& pad) const {
    const device::Op& by = *op(reader);
    const std::string& name = device::name_of(by);
    if (const auto why = device::unreadable_in_inp(by, i, g)) return name + ": " + *why;
    if (device::inputs_of(by)[i] != r.image) return name + " reads it in another shape";
    if (i == 1) return std::nullopt;
    const device::Padding padding = device::padding_of(by);
    if (!padding.border.any()) return std::nullopt;
    if (pad && *pad != padding.value) return name + " pads it with another number";
    pad = padding.value;
    r.border = device::around_both(r.border, padding.border);
    return std::nullopt;
  }

  const graph::Graph& graph_;
  const Placement& nodes_;
  const std::vector<NodeId>& group_;
  const Roots& roots_;
  std::set<TensorId> left_;  ///< roots that are read outside
  std::map<TensorId, std::vector<std::pair<int, std::size_t>>>
      readers_;  ///< readers of a root: layer and input, in order
};

class Planner {
 public:
  Planner(const StepLayers& step, const isa::Variant& variant, const KnobBook* book)
      : step_(step),
        variant_(variant),
        book_(book),
        notes_(static_cast<std::size_t>(step.layers())),
        rooms_(notes_.size(), variant.geometry.inp_depth) {}

  std::map<TensorId, Resident> run() {
    std::vector<std::pair<std::int64_t, TensorId>> order;  // traffic saved, less is more
    std::map<TensorId, Resident> candidates;
    for (int layer = 0; layer < step_.layers(); ++layer) {
      if (!op(layer)) continue;
      int readers = 0;
      if (const auto why = step_.not_possible(layer, variant_.geometry, candidates, readers)) {
        std::map<TensorId, Resident> elsewhere;
        notes_[at(layer)] = {kGoes + *why,
                             !step_.not_possible(layer, square(variant_.geometry), elsewhere, readers)};
        continue;
      }
      order.emplace_back(
          -(1 + readers) * device::inp_entries(device::output_of(*op(layer)), {}, variant_.geometry),
          step_.made_at(layer));
    }
    std::ranges::stable_sort(order, {}, &std::pair<std::int64_t, TensorId>::first);
    // Results that the book wants there come first.
    for (const bool wanted : {true, false})
      for (const auto& [saved, root] : order)
        if ((choice_of(root).wanted() == kInp) == wanted) choose(root, candidates.at(root));
    for (auto& [root, r] : residents_) r.base = base(kept_.at(root));
    return std::move(residents_);
  }

  /// Entries for the tiles of each layer.
  std::vector<std::int64_t> rooms() { return std::move(rooms_); }

  std::vector<WhereTo> notes() { return std::move(notes_); }
  std::vector<KnobTask> tasks() { return std::move(tasks_); }

 private:
  static std::size_t at(int layer) { return StepLayers::at(layer); }
  const std::optional<device::Op>& op(int layer) const { return step_.op(layer); }

  std::int64_t base(std::size_t buffer) const {
    return variant_.geometry.inp_depth - planner_.offset(buffer) - planner_.lifetime(buffer).bytes;
  }

  /// Beside what is kept and the candidate, of the layers where the candidate or what it moves is alive.
  std::map<int, std::int64_t> rooms_beside(const std::vector<graph::MemoryPlanner::Moved>& moved) const {
    std::map<int, std::int64_t> rooms;
    for (const auto& m : moved) {
      const graph::Lifetime& life = planner_.lifetime(m.buffer);
      for (int layer = life.first; layer <= life.last; ++layer) rooms.try_emplace(layer, 0);
    }
    for (auto& [layer, room] : rooms) {
      room = variant_.geometry.inp_depth;
      for (const std::size_t buffer : planner_.alive(layer)) room = std::min(room, base(buffer));
    }
    return rooms;
  }

  Choice choice_of(TensorId root) const {
    return {book_, "result '" + step_.name_of(root) + "'", "stays_in", {"dram", "inp"}};
  }

  void choose(TensorId root, const Resident& candidate) {
    if (!looked_at_.insert(root).second) return;
    const Choice choice = choice_of(root);
    std::string& note = notes_[at(candidate.first)].text;
    bool room = true;
    if (choice.wanted() == kDram)
      note = kGoes + "it could stay on chip";
    else
      room = try_to_keep(root, candidate, choice);
    note += choice.by();
    if (book_ && room) tasks_.push_back(choice.task(residents_.contains(root) ? kInp : kDram));
  }

  /// Whether there is room for it.
  bool try_to_keep(TensorId root, const Resident& candidate, const Choice& choice) {
    const auto moved = planner_.add({candidate.entries, candidate.first, candidate.last}, root);
    const std::map<int, std::int64_t> rooms = rooms_beside(moved);
    double before = 0, after = 0;
    std::string& note = notes_[at(candidate.first)].text;
    for (const auto& [layer, room] : rooms) {
      if (!op(layer) || (room == rooms_[at(layer)] && !touches(layer, root))) continue;
      const auto cycles = estimate(layer, root, room);
      if (!cycles) {
        const std::string why =
            fmt::format("{} entries of inp find no room beside the tiles of {} and what stays there",
                        candidate.entries, device::name_of(*op(layer)));
        if (choice.wanted()) choice.refuse(why);
        note = kGoes + why;
        planner_.undo(moved);
        return false;
      }
      after += *cycles;
      before += *estimate(layer, graph::kNone, rooms_[at(layer)]);
    }
    if (after >= before && !choice.wanted()) {
      note = kGoes +
             fmt::format("{:.0f} cycles more are estimated otherwise, for smaller tiles", after - before);
      planner_.undo(moved);
      return true;
    }
    note = kStays;
    residents_[root] = candidate;
    kept_[root] = kept_.size();
    for (const auto& [layer, room] : rooms) rooms_[at(layer)] = room;
    return true;
  }

  /// The layer reads or makes the tensor.
  bool touches(int layer, TensorId root) const {
    const std::vector<TensorId>& inputs = step_.node(layer).inputs;
    return step_.root(inputs[0]) == root || (inputs.size() > 1 && step_.root(inputs[1]) == root) ||
           step_.made_at(layer) == root;
  }

  /// Situation that a layer's estimate depends on.
  struct Situation {
    OnChip on_chip;
    std::int64_t room;
    auto operator<=>(const Situation&) const = default;
  };

  /// With one more resident, or kNone.
  Situation situation(int layer, TensorId more, std::int64_t room) const {
    const std::vector<TensorId>& inputs = step_.node(layer).inputs;
    const auto stays = [&](TensorId id) {
      return (more != graph::kNone && id == more) || residents_.contains(id);
    };
    return {{stays(step_.root(inputs[0])), inputs.size() > 1 && stays(step_.root(inputs[1])),
             stays(step_.made_at(layer))},
            room};
  }

  std::optional<double> estimate(int layer, TensorId more, std::int64_t room) {
    const Situation s = situation(layer, more, room);
    if (s.room < 0) return std::nullopt;
    const auto [entry, is_new] = estimates_.try_emplace({layer, s});
    if (is_new)
      entry->second = device::estimate(*op(layer), variant_.geometry, variant_.timing, s.on_chip, s.room);
    return entry->second;
  }

  const StepLayers& step_;
  const isa::Variant& variant_;
  const KnobBook* book_;  ///< or null
  std::vector<WhereTo> notes_;
  std::vector<KnobTask> tasks_;
  std::set<TensorId> looked_at_;  ///< roots
  std::map<TensorId, Resident> residents_;
  graph::MemoryPlanner planner_{1};       ///< the residents, from the end of inp downwards
  std::map<TensorId, std::size_t> kept_;  ///< numbers of the residents there
  std::vector<std::int64_t> rooms_;       ///< beside residents_, by layer
  std::map<std::pair<int, Situation>, std::optional<double>> estimates_;
};

}  // namespace

OnChipPlan::OnChipPlan(const graph::Graph& graph, const Placement& nodes, const std::vector<NodeId>& group,
                       const std::vector<bool>& leaving, const Roots& roots, const isa::Variant& variant,
                       const KnobBook* book)
    : depth_(variant.geometry.inp_depth) {
  const StepLayers step(graph, nodes, group, leaving, roots);
  Planner planner(step, variant, book);
  residents_ = planner.run();
  notes_ = planner.notes();
  tasks_ = planner.tasks();
  rooms_ = planner.rooms();
}

const Resident* OnChipPlan::find(TensorId root) const {
  const auto found = residents_.find(root);
  return found == residents_.end() ? nullptr : &found->second;
}

std::int64_t OnChipPlan::room(int layer) const {
  return rooms_.empty() ? depth_ : rooms_.at(static_cast<std::size_t>(layer));
}

}  // namespace vdla::pipeline
