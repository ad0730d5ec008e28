// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/ports.h"

namespace vdla::sim {

void PortUse::add_load(isa::Buffer buffer, Cycle begin, Cycle end) {
  if (buffer != isa::Buffer::Inp && buffer != isa::Buffer::Out) return;
  std::deque<Interval>& to = buffer == isa::Buffer::Inp ? load_inp_ : load_out_;
  if (!to.empty() && to.back().end == begin)
    to.back().end = end;
  else
    to.push_back({begin, end});
}

void PortUse::forget(Cycle before) {
  while (!gemm_.empty() && gemm_.front().end() + GemmSteps::kAccWrite <= before) gemm_.pop_front();
  for (std::deque<Interval>* list : {&load_inp_, &load_out_, &store_})
    while (!list->empty() && list->front().end <= before) list->pop_front();
}

}  // namespace vdla::sim
