// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/sources.h"

#include <algorithm>
#include <unordered_set>

#include "support/overloaded.h"

namespace vdla::graph {

Sources as(Sources sources, Likeness at_most) {
  for (SourceTensor& s : sources) s.likeness = std::max(s.likeness, at_most);
  return sources;
}

void add_sources(Sources& to, const Sources& more) {
  const std::size_t before = to.size();  // members of `more` differ among themselves
  for (const SourceTensor& s : more) {
    const auto end = to.begin() + static_cast<std::ptrdiff_t>(before);
    const auto known = std::ranges::find(to.begin(), end, s.name, &SourceTensor::name);
    if (known == end)
      to.push_back(s);
    else
      known->likeness = std::min(known->likeness, s.likeness);
  }
  if (!std::ranges::is_sorted(to, {}, &SourceTensor::likeness))
    std::ranges::stable_sort(to, {}, &SourceTensor::likeness);
}

Sources sources_of(const Tensor& tensor) {
  return tensor.sources.value_or(Sources{{tensor.name, Likeness::Same}});
}

void name_sources(Graph& graph) {
  for (Tensor& t : graph.tensors) t.sources = sources_of(t);
}

namespace {

/// Likeness of an operator's result to its operands.
Likeness of_result(const Op& op) {
  return std::visit(overloaded{
                        [](const Reshape&) { return Likeness::Same; },
                        [](const Quantize&) { return Likeness::Same; },
                        [](const Dequantize&) { return Likeness::Same; },
                        [](const Transpose&) { return Likeness::Reordered; },
                        [](const BlockChannels&) { return Likeness::Reordered; },
                        [](const UnblockChannels&) { return Likeness::Reordered; },
                        [](const auto&) { return Likeness::From; },
                    },
                    op);
}

/// Names that readers of a compiler's own value repeat: a longer list stands at that value alone. Each of n
/// partial sums would repeat the names of all before it.
constexpr std::size_t kMostRepeated = 64;

/// Sources of a value made of another: what was computed on the way to that one is not said again.
Sources made_of(const Sources& operand, Likeness likeness) {
  Sources result;
  if (operand.size() > kMostRepeated && !stands_for_one(operand)) return result;
  for (const SourceTensor& s : operand)
    if (s.likeness != Likeness::Within) result.push_back(s);
  return as(std::move(result), likeness);
}

}  // namespace

void complete_sources(Graph& graph) {
  for (Tensor& t : graph.tensors)
    if (t.constant() && !t.sources) t.sources.emplace();
  for (const Node& node : graph.nodes) {
    if (graph.tensor(node.output).sources) continue;
    Sources sources;
    for (TensorId id : node.inputs)
      if (id != kNone) add_sources(sources, made_of(sources_of(graph.tensor(id)), of_result(node.op)));
    graph.tensor(node.output).sources = std::move(sources);
  }
}

void leave_out_kept(Graph& graph) {
  const std::vector<bool> lasting = lasting_tensors(graph);
  std::unordered_set<std::string> kept;
  for (std::size_t i = 0; i < lasting.size(); ++i)
    if (lasting[i])
      for (const SourceTensor& s : sources_of(graph.tensors[i]))
        if (s.likeness <= Likeness::Reordered) kept.insert(s.name);
  for (Tensor& t : graph.tensors)
    if (t.sources)
      std::erase_if(*t.sources, [&](const SourceTensor& s) {
        return s.likeness == Likeness::Within && kept.contains(s.name);
      });
}

std::set<std::string> source_names(const Graph& graph) {
  const std::vector<bool> lasting = lasting_tensors(graph);
  std::set<std::string> names;
  for (std::size_t i = 0; i < lasting.size(); ++i)
    if (lasting[i])
      for (const SourceTensor& s : sources_of(graph.tensors[i])) names.insert(s.name);
  return names;
}

}  // namespace vdla::graph
