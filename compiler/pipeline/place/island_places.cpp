// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/island_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace vdla::pipeline {

void add_choices(const GraphChoices& choices, Placed& placed) {
  for (const GraphChoice& choice : choices) {
    PlacedNode& node = placed.nodes[at(find_node(placed.graph, choice.node))];
    if (!choice.note.empty()) node.reason += "; " + choice.note;
    node.choices.push_back(choice.task);
  }
}

std::string IslandPlaces::text_of(const std::vector<Island>& islands) const {
  std::string text;
  for (const Island& island : islands)
    text += fmt::format("{}: {}: {}{}\n", name_of(on_device(island) ? Place::Device : Place::Cpu),
                        fmt::join(island.nodes, ", "), island.reason(), choice_of(island).by());
  return text;
}

bool IslandPlaces::move_to_cpu(const std::vector<Island>& islands, Placed& placed, KeptOff& kept_off) {
  std::map<std::string, std::string> costs;
  GraphChoices stay;
  double stay_seconds = 0;
  bool moved = false;
  for (const Island& island : islands) {
    const Choice choice = choice_of(island);
    const bool stays = on_device(island);
    const double border_less_cpu = island.cost.border - island.cost.cpu;
    if (stays != island.cost.pays())
      (stays ? stay_seconds : moved_seconds_) += stays ? border_less_cpu : -border_less_cpu;
    if (book_ && (island.is_close() || choice.wanted()))
      (stays ? stay : moved_).push_back({island.nodes.front(), "", choice.task(stays ? kVdla : kCpu)});
    moved = moved || !stays;
    for (const std::string& node : island.nodes)
      if (stays)
        costs[node] = island.reason() + choice.by();
      else
        kept_off[node] = (choice.wanted() ? "" : "costs less on the CPU: ") + island.reason() + choice.by();
  }
  for (std::size_t i = 0; i < placed.nodes.size(); ++i)
    if (const auto found = costs.find(placed.graph.nodes[i].name); found != costs.end())
      placed.nodes[i].costs = found->second;
  if (!moved) {
    add_choices(moved_, placed);
    add_choices(stay, placed);
    placed.moved_seconds = moved_seconds_ + stay_seconds;
  }
  return moved;
}

Choice IslandPlaces::choice_of(const Island& island) const {
  return {book_, "nodes from '" + island.nodes.front() + "' on", "run_on", {"cpu", "vdla"}};
}

bool IslandPlaces::on_device(const Island& island) const {
  const auto wanted = choice_of(island).wanted();
  return wanted ? *wanted == kVdla : island.cost.pays();
}

}  // namespace vdla::pipeline
