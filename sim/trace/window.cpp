// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/window.h"

#include <algorithm>

namespace vdla::trace {

std::vector<Event> window_of(std::span<const Event> run,
                             const std::function<bool(std::uint32_t insn)>& chosen) {
  Cycle begin = UINT64_MAX, end = 0;
  std::size_t open = 0;
  for (const Event& e : run) {
    if (!chosen(e.insn)) continue;
    if (e.type == EventType::Dispatch) {
      begin = std::min(begin, e.begin);
      ++open;
    } else if (e.type == EventType::Retire && e.unit != isa::Unit::Fetch) {
      end = std::max(end, e.end);
      --open;
    }
  }
  std::vector<Event> window;
  if (begin == UINT64_MAX) return window;
  if (open != 0) end = UINT64_MAX;
  std::ranges::copy_if(run, std::back_inserter(window),
                       [&](const Event& e) { return e.end >= begin && e.begin <= end; });
  return window;
}

}  // namespace vdla::trace
