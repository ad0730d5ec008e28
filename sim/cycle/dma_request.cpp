// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/dma_request.h"

#include <algorithm>

#include "sim/cycle/bursts.h"

namespace vdla::sim {

std::optional<Cycle> DmaRequest::free_at() const {
  if (!walking_.empty()) return std::nullopt;
  return last_ + 1;
}

void DmaRequest::start(const QueuedInsn& queued) {
  const auto& insn = std::get<isa::MemoryInsn>(queued.insn);
  const auto bursts = bursts_of(insn, geometry_, windows_[static_cast<unsigned>(insn.window)].base);
  last_ = now() + (bursts.empty() ? 0 : 2);
  for (std::size_t i = 0; i < bursts.size(); ++i)
    walking_.push_back(
        {{bursts[i].address, bursts[i].bytes, queued.index, i + 1 == bursts.size()}, bursts[i].parts});
  walk();
  if (!queue_.empty()) changed();
}

/// Lets bursts leave as long as it is known when the queue has room.
void DmaRequest::walk() {
  while (!walking_.empty() && queue_.size() < kQueue) {
    const Walked& w = walking_.front();
    last_ += w.parts;
    // The burst four places before this one has made room in the cycle after it was taken.
    if (taken_.size() + queue_.size() >= kQueue)
      last_ = std::max(last_, taken_[taken_.size() + queue_.size() - kQueue] + 1);
    queue_.emplace_back(last_ + 1, w.request);
    walking_.pop_front();
  }
}

std::optional<Cycle> DmaRequest::visible_at() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.front().first;
}

BurstRequest DmaRequest::take(Cycle at) {
  const BurstRequest request = queue_.front().second;
  queue_.pop_front();
  taken_.push_back(at);
  if (taken_.size() > kQueue) taken_.pop_front();
  const bool walked = walking_.empty();
  walk();
  if (!walked && walking_.empty()) progress_.ring();
  return request;
}

}  // namespace vdla::sim
