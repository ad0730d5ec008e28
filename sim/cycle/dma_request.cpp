// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/dma_request.h"

#include <algorithm>

namespace vdla::sim {

std::optional<Cycle> DmaRequest::free_at() const {
  if (!walker_.done()) return std::nullopt;
  return last_ + 1;
}

void DmaRequest::start(const QueuedInsn& queued) {
  const auto& insn = std::get<isa::MemoryInsn>(queued.insn);
  walker_ = BurstWalker(insn, geometry_, windows_[static_cast<unsigned>(insn.window)].base, burst_bytes_);
  insn_ = queued.index;
  last_ = now() + (walker_.done() ? 0 : 2);
  walk();
  if (!queue_.empty()) changed();
}

/// Lets bursts leave as long as it is known when the queue has room.
void DmaRequest::walk() {
  while (!walker_.done() && queue_.size() < kQueue) {
    const DmaBurst burst = walker_.next();
    last_ += burst.parts;
    // The burst four places before this one has made room in the cycle after it was taken.
    if (taken_.size() + queue_.size() >= kQueue)
      last_ = std::max(last_, taken_[taken_.size() + queue_.size() - kQueue] + 1);
    queue_.push({last_ + 1, {burst.address, burst.bytes, insn_, walker_.done()}});
  }
}

BurstRequest DmaRequest::take(Cycle at) {
  const BurstRequest request = queue_.front().request;
  queue_.pop();
  taken_.push_latest(at);
  if (!walker_.done()) {
    walk();
    if (walker_.done()) progress_.ring();
  }
  return request;
}

}  // namespace vdla::sim
