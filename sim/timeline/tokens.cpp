// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/tokens.h"

#include <array>
#include <deque>

namespace vdla::timeline {
namespace {

/// Pushes or pops of a channel that still lack their other end, by instruction.
struct Channel {
  std::deque<std::size_t> pushes, pops;
};
using Channels = std::array<std::array<Channel, isa::kQueueUnits>, isa::kQueueUnits>;

class Pairing {
 public:
  explicit Pairing(std::size_t insns) : tokens_{{}, {}} {
    tokens_.pushed.resize(insns);
    tokens_.popped.resize(insns);
  }

  void add(std::size_t insn, unsigned unit, unsigned pops, unsigned pushes) {
    for (unsigned other = 0; other < isa::kQueueUnits; ++other) {
      if (pops >> other & 1) channels_[other][unit].pops.push_back(insn);
      if (pushes >> other & 1) channels_[unit][other].pushes.push_back(insn);
      match(channels_[other][unit]);
      match(channels_[unit][other]);
    }
  }
  void end_entry() { channels_ = {}; }
  Tokens take() { return std::move(tokens_); }

 private:
  void match(Channel& channel) {
    while (!channel.pushes.empty() && !channel.pops.empty()) {
      ++count_;
      tokens_.pushed[channel.pushes.front()].push_back(count_);
      tokens_.popped[channel.pops.front()].push_back(count_);
      channel.pushes.pop_front();
      channel.pops.pop_front();
    }
  }

  Channels channels_;
  Tokens tokens_;
  std::uint64_t count_ = 0;
};

}  // namespace

Tokens tokens_of(const isa::Program& program) {
  Pairing pairing(program.insns.size());
  for (std::size_t i = 0; i < program.insns.size(); ++i) {
    const isa::Insn& insn = program.insns[i];
    if (isa::opcode_of(insn) == isa::Opcode::Finish)
      pairing.end_entry();
    else
      pairing.add(i, static_cast<unsigned>(isa::unit_of(insn)), isa::pops_of(insn), isa::pushes_of(insn));
  }
  return pairing.take();
}

}  // namespace vdla::timeline
