// SPDX-License-Identifier: Apache-2.0
// The AXI read and write masters with the memory behind them, as the RTL's vdla_axi_read and vdla_axi_write
// on the shared DRAM timing: fetch goes before load, one address at a time, data in the order of the
// addresses.
#pragma once

#include <functional>
#include <optional>

#include "sim/cycle/channel.h"
#include "sim/cycle/report.h"
#include "sim/cycle/ring.h"
#include "sim/dram/dram.h"

namespace vdla::sim {

using dram::kBusBytes;

struct BurstRequest {
  std::uint64_t address = 0;
  unsigned bytes = 0;
  std::uint32_t insn = 0;
  bool last = false;  ///< last of its instruction
};

/// Bursts in order, each with the cycle from which on it can be taken.
class BurstSource {
 public:
  virtual ~BurstSource() = default;
  /// Cycle of the oldest burst; nothing when there is none, or none that is known.
  virtual std::optional<Cycle> visible_at() const = 0;
  virtual BurstRequest take(Cycle at) = 0;
  /// Rings at each change of visible_at(), besides take().
  void tell(Doorbell& listener) { listener_ = &listener; }

 protected:
  void changed() {
    if (listener_ != nullptr) listener_->ring();
  }

 private:
  Doorbell* listener_ = nullptr;
};

/// A unit that reads: its bursts, and what happens to their data. `take` gets the burst and the first cycle
/// in which the read channel is free; it returns the cycle in which the last beat is taken.
struct ReadClient {
  BurstSource& bursts;
  std::function<Cycle(const BurstRequest&, const dram::Burst&, Cycle earliest)> take;
  isa::Unit unit;
};

class ReadPort final : public sc_core::sc_module {
 public:
  ReadPort(sc_core::sc_module_name name, dram::Dram& dram, ReadClient fetch, ReadClient load,
           const Reporter& reporter, const Cycle& horizon);

  /// Bytes of the beats asked for since the start.
  std::uint64_t bytes() const { return bytes_; }
  void start() { bytes_ = 0; }
  /// Cycle after the last beat of what has been asked for.
  Cycle free_from() const { return channel_free_; }

 private:
  /// Bursts that are remembered from their grant to their last data: the RTL's queue of owners.
  static constexpr std::size_t kOwners = 64;

  void run();
  ReadClient& wait_burst();

  dram::Dram& dram_;
  ReadClient fetch_;
  ReadClient load_;
  const Reporter& reporter_;
  std::uint64_t bytes_ = 0;
  Cycle channel_free_ = 0;       ///< cycle after the last beat taken
  Ring<Cycle, kOwners> owners_;  ///< last data of the latest bursts
  Doorbell more_;
  LocalTime time_;
};

/// Reports a burst to the trace.
void report_burst(const Reporter& reporter, isa::Unit unit, const BurstRequest& request, bool write,
                  Cycle begin, Cycle end);

}  // namespace vdla::sim
