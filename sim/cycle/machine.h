// SPDX-License-Identifier: Apache-2.0
// The assembly of the cycle-level machine: units, queues, token channels, ports, memory timing. It lives in a
// SystemC context of its own, so that several machines can live in one process. It is started again after a
// run that came to its end, and given up after others: its processes are in the middle of something then. No
// SystemC type leaves this header.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "isa/semantics/state.h"
#include "isa/spec/geometry.h"
#include "sim/contract.h"
#include "sim/cycle/options.h"
#include "sim/cycle/report.h"
#include "sim/functional/core.h"

namespace vdla::sim {

struct MachineCounters {
  std::uint64_t cycles = 0;  ///< from start to done, or to now
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  struct Unit {
    std::uint64_t busy = 0;
    std::uint64_t token_stall = 0;
    std::uint64_t since = 0;  ///< cycle after the last in which something began or ended
  };
  std::array<Unit, isa::kQueueUnits> units{};
  std::uint64_t fetch_since = 0;
};

class Machine {
 public:
  struct Error {
    isa::Fault fault;
    isa::Unit unit;
    std::uint32_t insn;
  };
  enum class End : std::uint8_t { Running, Finished, Failed, Deadlock };

  /// Everything given outlives the machine.
  Machine(const isa::Variant& variant, const CycleOptions& options, const isa::Windows& windows, Core& core,
          const Memory& memory, const Reporter& reporter);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Whether it can be started: it is new, or its run has come to its end and nothing is left of it.
  bool can_start() const;
  void start(std::uint32_t insn_offset, std::uint32_t insn_count);
  /// Lets at most `cycles` pass; comes back earlier at an end. With a stall limit a deadlock ends in error
  /// stall, in the cycle in which the hardware raises it.
  End run(std::uint64_t cycles, std::uint32_t stall_limit);

  std::uint64_t now() const;
  std::uint32_t sequence() const;
  const Error& error() const;
  MachineCounters counters() const;
  std::vector<UnitState> unit_states() const;

 private:
  struct Context;
  struct Parts;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace vdla::sim
