// SPDX-License-Identifier: Apache-2.0
// The fetch unit: reads instructions ahead into a buffer of 64 beats, checks each, dispatches it to its
// unit's queue; FINISH waits until every unit is idle.
#pragma once

#include <deque>

#include "sim/cycle/memory_port.h"
#include "sim/cycle/unit.h"
#include "sim/memory.h"

namespace vdla::sim {

struct FetchLinks {
  const isa::Geometry& geometry;
  unsigned burst_bytes;  ///< bytes of the longest burst
  const isa::Windows& windows;
  const Memory& memory;
  std::array<Channel<QueuedInsn>*, isa::kQueueUnits> queues{};
  std::array<QueueUnit*, isa::kQueueUnits> units{};  ///< asked only whether they are idle
  std::function<void(const isa::Fault&, isa::Unit, std::uint32_t insn)> fail;
  std::function<void(std::uint32_t sequence)> finish;
  const Reporter& reporter;
};

// Long: one state machine, from requests to the units' queues.
class FetchUnit final : public sc_core::sc_module, public BurstSource {
 public:
  FetchUnit(sc_core::sc_module_name name, const FetchLinks& links);

  void set_units(const std::array<QueueUnit*, isa::kQueueUnits>& units) { links_.units = units; }

  /// Starts in this cycle, afresh.
  void start(std::uint32_t offset, std::uint32_t count);
  /// Whether nothing is left of the latest run: neither instructions behind its FINISH nor any on their way.
  bool clean() const { return !active_ && index_ + 1 == available_; }
  ReadClient read_client();

  std::optional<Cycle> visible_at() const override { return request_at_; }
  BurstRequest take(Cycle at) override;

  UnitState state() const;
  /// Cycle after the last dispatch.
  Cycle since() const { return since_; }
  void finish_trace(Cycle end) { spans_.finish(end); }

 private:
  static constexpr unsigned kBufferBeats = 64;
  static constexpr unsigned kInsnBeats = isa::kInsnBytes / kBusBytes;

  void run_dispatch();
  void dispatch_all();
  bool receive(Cycle& free);
  void dispatch(std::uint32_t index, Cycle ready);
  void finish(const isa::FinishInsn& insn, std::uint32_t index);
  void fail_exhausted();
  void decide_request();
  std::optional<Cycle> request_time() const;
  std::uint64_t request_address() const;
  unsigned next_insns() const;
  Cycle receive_beats(const dram::Burst& burst, Cycle earliest);

  FetchLinks links_;
  SpanWriter spans_;
  bool active_ = false;
  bool failed_ = false;  ///< stopped at an instruction
  std::uint32_t offset_ = 0, count_ = 0, available_ = 0;
  std::uint32_t asked_ = 0;          ///< instructions asked for
  std::uint32_t index_ = 0;          ///< next to dispatch
  Cycle asked_at_ = 0;               ///< start, or when the bus took the latest request
  std::optional<Cycle> request_at_;  ///< when the next request stands before the bus
  Cycle active_from_ = 0;
  Cycle waiting_from_ = 0;  ///< cycle in which it began to wait for the instruction at hand
  unsigned waiting_ = 0;    ///< queue that is full
  Cycle since_ = 0;
  std::deque<Cycle> beats_;  ///< when beats that are not yet used came
  std::deque<Cycle> used_;   ///< cycles in which beats were or will be used, of those that may still matter
  std::uint64_t used_before_ = 0;  ///< beats used before used_.front()
  sc_core::sc_event started_;
  Doorbell beats_came_;
};

}  // namespace vdla::sim
