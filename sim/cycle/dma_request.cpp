// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/dma_request.h"

#include "sim/cycle/bursts.h"

namespace vdla::sim {

DmaRequest::DmaRequest(sc_core::sc_module_name name, const isa::Geometry& geometry,
                       const isa::Windows& windows)
    : sc_module(name), geometry_(geometry), windows_(windows) {
  SC_HAS_PROCESS(DmaRequest);
  SC_THREAD(run);
}

void DmaRequest::start(const QueuedInsn& insn) {
  insn_ = insn;
  busy_ = true;
  started_.notify(sc_core::SC_ZERO_TIME);
}

void DmaRequest::run() {
  for (;;) {
    sc_core::wait(started_);
    const auto& insn = std::get<isa::MemoryInsn>(insn_.insn);
    const auto bursts = bursts_of(insn, geometry_, windows_[static_cast<unsigned>(insn.window)].base);
    Cycle at = now() + (bursts.empty() ? 0 : 2);
    for (std::size_t i = 0; i < bursts.size(); ++i) {
      at += bursts[i].parts;
      wait_until(at);
      bursts_.wait_push({bursts[i].address, bursts[i].bytes, insn_.index, i + 1 == bursts.size()});
      at = now();
    }
    wait_until(at + 1);
    busy_ = false;
    free_.notify(sc_core::SC_ZERO_TIME);
  }
}

}  // namespace vdla::sim
