// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/origins.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace vdla::import {

struct Origins::Node {
  using Link = std::pair<std::shared_ptr<const Node>, Likeness>;

  std::string name;        ///< not empty: of a tensor of the model
  std::vector<Link> made;  ///< values made of these, in order

  Node(std::string n, std::vector<Link> of) : name(std::move(n)), made(std::move(of)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  /// One after the other: a chain is longer than the stack is deep.
  ~Node() {
    std::vector<Link> dying = std::move(made);
    while (!dying.empty()) {
      const std::shared_ptr<const Node> last = std::move(dying.back().first);
      dying.pop_back();
      if (last.use_count() > 1) continue;
      auto& inner = const_cast<Node&>(*last).made;  // no other value has it
      std::move(inner.begin(), inner.end(), std::back_inserter(dying));
      inner.clear();
    }
  }
};

Origins::Origins(std::string name)
    : node_(std::make_shared<const Node>(std::move(name), std::vector<Node::Link>{})) {}

void Origins::add(const Origins& more, Likeness at_most) {
  if (!more.node_) return;
  if (!node_ && at_most == Likeness::Same) {
    node_ = more.node_;
    return;
  }
  std::vector<Node::Link> both;
  if (node_) both.emplace_back(std::move(node_), Likeness::Same);
  both.emplace_back(more.node_, at_most);
  node_ = std::make_shared<const Node>("", std::move(both));
}

void Origins::add(std::string name) { add(Origins(std::move(name)), Likeness::Same); }

Sources Origins::list() const {
  std::unordered_map<const Node*, Likeness> closest;
  std::unordered_map<std::string_view, std::size_t> known;
  Sources result;
  std::vector<std::pair<const Node*, Likeness>> pending;
  if (node_) pending.emplace_back(node_.get(), Likeness::Same);
  while (!pending.empty()) {
    const auto [node, likeness] = pending.back();
    pending.pop_back();
    const auto [seen, first] = closest.emplace(node, likeness);
    if (!first && seen->second <= likeness) continue;
    seen->second = likeness;
    if (!node->name.empty()) {
      const auto [at, unknown] = known.emplace(node->name, result.size());
      if (unknown) result.push_back({node->name, likeness});
      Likeness& said = result[at->second].likeness;
      said = std::min(said, likeness);
    }
    for (auto link = node->made.rbegin(); link != node->made.rend(); ++link)
      pending.emplace_back(link->first.get(), std::max(likeness, link->second));
  }
  std::ranges::stable_sort(result, {}, &SourceTensor::likeness);
  return result;
}

}  // namespace vdla::import
