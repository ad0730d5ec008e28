// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/ports.h"

#include <algorithm>

namespace vdla::sim {

void PortUse::add_load(isa::Buffer buffer, Cycle begin, Cycle end) {
  if (buffer != isa::Buffer::Inp && buffer != isa::Buffer::Out) return;
  std::deque<Interval>& to = buffer == isa::Buffer::Inp ? load_inp_ : load_out_;
  if (!to.empty() && to.back().end == begin)
    to.back().end = end;
  else
    to.push_back({begin, end});
}

PortUse::Cycle PortUse::quiet_until(Cycle c, unsigned banks, bool inp_read, bool out_read,
                                    isa::Buffer written) const {
  Cycle until = ~Cycle{0};
  const auto use = [&](Cycle begin, Cycle end) {
    if (end > c) until = std::min(until, std::max(begin, c));
  };
  for (const GemmSteps& g : gemm_)
    if (inp_read || (g.banks() & banks) != 0)
      use(g.begin() + GemmSteps::kInpRead, g.end() + GemmSteps::kAccWrite);
  const auto use_all = [&](const std::deque<Interval>& intervals) {
    for (const Interval& i : intervals) use(i.begin, i.end);
  };
  if (out_read) use_all(store_);
  if (written == isa::Buffer::Inp) use_all(load_inp_);
  if (written == isa::Buffer::Out) use_all(load_out_);
  return until;
}

void PortUse::forget(Cycle before) {
  while (!gemm_.empty() && gemm_.front().end() + GemmSteps::kAccWrite <= before) gemm_.pop_front();
  for (std::deque<Interval>* list : {&load_inp_, &load_out_, &store_})
    while (!list->empty() && list->front().end <= before) list->pop_front();
}

}  // namespace vdla::sim
