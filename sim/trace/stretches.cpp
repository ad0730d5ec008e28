// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/stretches.h"

#include <algorithm>

namespace vdla::trace {

Stretches::Stretches(std::span<const Event> run, const ProfileOptions& options, Cycle begin, Cycle end)
    : begin_(begin) {
  std::vector<Cycle> last(options.layers, 0);
  for (const Event& e : run)
    if (e.type == EventType::Retire && e.unit != isa::Unit::Fetch)
      if (const std::size_t layer = options.layer_of(e.insn); layer < last.size())
        last[layer] = std::max(last[layer], e.end);
  for (std::size_t layer = 0; layer < last.size(); ++layer)
    if (last[layer] != 0) parts_.push_back({last[layer], layer});
  std::sort(parts_.begin(), parts_.end());
  parts_.push_back({end, options.layers});
}

std::vector<Stretches::Part>::const_iterator Stretches::at(Cycle begin) const {
  return std::upper_bound(parts_.begin(), parts_.end(), begin,
                          [](Cycle cycle, const Part& p) { return cycle < p.end; });
}

}  // namespace vdla::trace
