// SPDX-License-Identifier: Apache-2.0
// Watches the write ports of the machine and the memory bus, and gives for each instruction of each unit the
// digest of what it wrote (sim/trace/digest.h).
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <span>

#include "sim/memory.h"
#include "sim/rtl/library.h"
#include "sim/trace/digest.h"

namespace vdla::sim {

class WriteWatch {
 public:
  /// Model and memory outlive it.
  WriteWatch(const isa::Geometry& geometry, RtlModel& model, const Memory& memory);

  /// Tells the sink, which outlives it, what each instruction wrote.
  void tell(trace::Sink& sink);

  /// Looks at a settled cycle, before and after its clock edge.
  void before_edge();
  void after_edge();
  /// A beat of write data reaches memory; `last` of its burst.
  void write_beat(std::uint64_t address, unsigned strobes, bool last);

  /// The digest of a unit's oldest instruction that has not been asked for; 0 when it has not ended writing.
  std::uint64_t take(unsigned unit);
  /// Forgets everything: the machine starts.
  void clear();

 private:
  struct Signal {
    const void* data = nullptr;
    unsigned bytes = 0;
    std::uint32_t get() const;
  };
  /// A memory of the machine.
  struct Bank {
    const std::byte* data = nullptr;
    std::size_t entry_bytes = 0;  ///< from entry to entry
  };

  Signal signal(const char* name);
  Bank bank(const char* scope);
  std::span<const std::byte> row(isa::Buffer buffer, unsigned entry, unsigned row) const;
  void note_load();
  void finish(unsigned unit);

  isa::Geometry geometry_;
  RtlModel& model_;
  const Memory& memory_;
  Signal load_write_, load_buffer_, load_entry_, load_chunk_, gemm_we_, gemm_waddr_, acc_we_, acc_waddr_,
      inp_we_, out_we_, vector_waddr_, done_, write_valid_, write_ready_, write_last_;
  std::array<Bank, isa::kBuffers.size()> banks_;  ///< acc: its lower half
  Bank acc_high_;

  trace::Sink* sink_ = nullptr;  ///< gets contents, if there is one
  std::array<trace::WriteDigest, isa::kQueueUnits> digests_;
  std::array<std::deque<std::uint64_t>, isa::kQueueUnits> ended_;
  std::deque<bool> last_bursts_;                 ///< handed to the bus: is it the last of its instruction?
  unsigned finish_after_edge_ = 0;               ///< a bit for each unit
  std::optional<std::uint32_t> acc_after_edge_;  ///< entry that vector writes in this cycle
};

}  // namespace vdla::sim
