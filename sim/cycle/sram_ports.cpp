// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/sram_ports.h"

#include <algorithm>

namespace vdla::sim {

void SramPorts::told(bool matters) {
  if (!claimed_) {
    constexpr unsigned kSeldom = 32;  // cycles that are over need not be forgotten at once
    if (++unseen_ % kSeldom == 0) use_.forget(now());
    return;
  }
  if (!matters) return;
  ++changes_;
  changed_.ring();
}

void SramPorts::gemm_steps(GemmSteps steps) {
  use_.add(std::move(steps));
  told(claims_.acc || claims_.inp_read);
}

void SramPorts::load_steps(isa::Buffer buffer, Cycle begin, Cycle end) {
  if (buffer != isa::Buffer::Inp && buffer != isa::Buffer::Out) return;
  use_.add_load(buffer, std::max(begin, now() + 1), end);
  told(buffer == isa::Buffer::Inp ? claims_.inp_write : claims_.out_write);
}

void SramPorts::store_reads(std::span<const Cycle> reads) {
  for (const Cycle read : reads)
    if (read > now()) use_.add_store(read);
  told(claims_.out_read);
}

void SramPorts::claim(const isa::VectorInsn& insn) {
  if (!claimed_) claims_ = {};
  claimed_ = true;
  claims_.acc |= insn.a_buffer == isa::Buffer::Acc || insn.dst_buffer == isa::Buffer::Acc;
  claims_.inp_read |= insn.a_buffer == isa::Buffer::Inp;
  claims_.out_read |= insn.a_buffer == isa::Buffer::Out;
  claims_.inp_write |= insn.dst_buffer == isa::Buffer::Inp;
  claims_.out_write |= insn.dst_buffer == isa::Buffer::Out;
}

}  // namespace vdla::sim
