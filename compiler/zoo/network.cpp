// SPDX-License-Identifier: Apache-2.0
#include "compiler/zoo/network.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "support/error.h"
#include "support/nearest.h"

namespace vdla::zoo {
namespace {

std::int64_t macs(const Layer& l) {
  if (l.has_weights()) return l.out.count() * l.fan_in();
  if (l.kind == Kind::Scores || l.kind == Kind::WeightedSum) return l.out.count() * l.in.c;
  return 0;
}

std::int64_t parameters(const Layer& l, std::int64_t vocabulary) {
  if (l.has_weights()) return l.out.c * (l.fan_in() + 1);
  if (l.kind == Kind::LayerNorm) return 2 * l.out.c;
  if (l.kind == Kind::Tokens) return l.out.c + l.out.count();
  if (l.kind == Kind::Embedding) return vocabulary * l.out.c + (l.positions ? l.out.count() : 0);
  return 0;
}

}  // namespace

std::vector<Network> networks() {
  std::vector<Network> all = image_networks();
  std::ranges::move(token_networks(), std::back_inserter(all));
  std::ranges::sort(all, {}, &Network::name);
  return all;
}

Network network(std::string_view name) {
  std::vector<std::string> known;
  std::string listed;
  for (Network& n : networks()) {
    if (n.name == name) return std::move(n);
    known.push_back(n.name);
    listed += (listed.empty() ? "" : ", ") + n.name;
  }
  VDLA_CHECK_USER(false) << "the zoo has no network '" << name << "', it has " << listed
                         << did_you_mean(name, known);
  return {};
}

std::int64_t macs(const Network& network) {
  std::int64_t total = 0;
  for (const Layer& l : network.layers) total += macs(l);
  return total;
}

std::int64_t parameters(const Network& network) {
  std::int64_t total = 0;
  for (const Layer& l : network.layers) total += parameters(l, network.vocabulary);
  return total;
}

}  // namespace vdla::zoo
