// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/transfer.h"

#include <algorithm>

namespace vdla::tune {
namespace {

constexpr std::size_t kFewestTrials = 2;    // trials of a task: they say which is better
constexpr std::size_t kMostSamples = 1000;  // samples of a space

bool are_alike(const std::vector<pipeline::Knob>& a, const std::vector<pipeline::Knob>& b) {
  return std::ranges::equal(a, b, [](const pipeline::Knob& x, const pipeline::Knob& y) {
    return x.name == y.name && x.names == y.names;
  });
}

}  // namespace

void Transfer::add(const std::vector<pipeline::Knob>& knobs, const std::vector<TrialElsewhere>& trials) {
  if (trials.size() < kFewestTrials) return;
  const pipeline::KnobSpace space(knobs, {});
  OfTask& added = tasks_.emplace_back();
  added.knobs = knobs;
  for (const TrialElsewhere& t : trials)
    added.samples.push_back({row_of(space, t.point, t.estimate), t.estimate, t.cost, tasks_.size()});
}

std::vector<Sample> Transfer::samples_for(const pipeline::KnobSpace& space) const {
  std::vector<const Sample*> all;
  for (const OfTask& task : tasks_)
    if (are_alike(task.knobs, space.knobs()))
      for (const Sample& s : task.samples) all.push_back(&s);
  std::vector<Sample> samples;
  const std::size_t count = std::min(all.size(), kMostSamples);
  for (std::size_t i = 0; i < count; ++i) samples.push_back(*all[i * all.size() / count]);
  return samples;
}

}  // namespace vdla::tune
