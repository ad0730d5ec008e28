// SPDX-License-Identifier: Apache-2.0
// When the load unit takes beats from the read channel and places chunks and padding into SRAM (the RTL's
// vdla_load and vdla_load_realign): everything follows from the cycles in which instructions start and data
// come. Plain C++.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"
#include "sim/cycle/ring.h"
#include "sim/dram/dram.h"

namespace vdla::sim {

// Long: what has come, and which steps are possible, are worked out from each other.
class LoadTimeline {
 public:
  using Cycle = std::uint64_t;
  struct Steps {
    std::uint32_t insn;
    isa::Buffer buffer;
    Cycle begin, end;  ///< a piece of padding or a chunk of data is placed in each cycle
  };

  explicit LoadTimeline(const isa::Geometry& geometry) : geometry_(geometry) {}

  /// An instruction starts in this cycle. Instructions that need no data until the next that does are worked
  /// out at once.
  void start(std::uint32_t index, const isa::MemoryInsn& insn, Cycle at);

  /// Beats of a burst for the oldest unfinished instruction; the read channel is free from `earliest` on.
  /// Returns the cycle in which the last beat is taken.
  Cycle take(const dram::Burst& burst, unsigned first_byte, unsigned bytes, Cycle earliest);

  /// Completion cycles that are known and have not been asked for, in order.
  std::optional<Cycle> pop_done();
  /// Instructions that wait for the receiver at the start of a cycle; complete knowledge up to known_until().
  unsigned waiting(Cycle now) const;
  /// Cycle after which the oldest waiting instruction is no longer waiting, if known.
  std::optional<Cycle> next_taken(Cycle now) const;
  /// Cycles with work that have become known since they were last forgotten: on inp and out, whose ports
  /// others want too, and on all buffers when they are recorded.
  const std::vector<Steps>& steps() const { return steps_; }
  void forget_steps() { steps_.clear(); }
  void record(bool on) { recording_ = on; }

 private:
  struct Segment {
    std::uint64_t pads;
    std::uint64_t chunks;
  };
  struct Receive {
    std::uint32_t index;
    isa::Buffer buffer;
    Cycle start;
    unsigned chunk_bytes;
    std::vector<Segment> segments;
    std::size_t segment = 0;
  };

  static Receive receive_of(std::uint32_t index, const isa::MemoryInsn& insn, Cycle at,
                            const isa::Geometry& g);
  void advance();
  void place(std::uint64_t count, Cycle from);
  void take_beat(unsigned used, Cycle ready);
  unsigned take_chunks(const dram::Burst& burst, unsigned beat, unsigned whole);

  const isa::Geometry& geometry_;
  std::deque<Receive> receives_;
  bool active_ = false;  ///< the front has been taken by the receiver
  Cycle next_step_ = 0;  ///< earliest cycle of the next step
  Cycle last_beat_ = 0;
  unsigned partial_ = 0;  ///< bytes that make no whole chunk yet
  struct Chunk {
    Cycle at;
    unsigned bytes;
  };
  Ring<Chunk, 4> placed_;  ///< cycles of the latest chunks
  std::deque<Cycle> done_;
  Ring<Cycle, 8> taken_;  ///< cycles in which the receiver takes the latest instructions
  std::vector<Steps> steps_;
  bool recording_ = false;
};

}  // namespace vdla::sim
