// SPDX-License-Identifier: Apache-2.0
// Interface of every engine, as a board has it: registers, DMA-visible memory, an interrupt, and time that
// passes. Functional, SystemC and Verilated engines stand behind it; driver/sim reaches them through nothing
// else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/spec/geometry.h"
#include "isa/spec/units.h"

namespace vdla::trace {
class Sink;
}

namespace vdla::sim {

/// Why run() came back.
enum class Stop : std::uint8_t {
  Interrupt,   ///< the interrupt line is high (done or error, interrupt enabled), or the device is idle
  Deadlock,    ///< nothing can happen any more; unit_states() says who waits for what
  CycleLimit,  ///< the limit was reached
};

/// Activity of a unit, decoded from the same registers that hardware has.
struct UnitState {
  isa::Unit unit;
  bool has_insn = false;
  bool running = false;
  std::uint32_t insn = 0;       ///< index in the instruction stream
  unsigned waiting_pops = 0;    ///< bit per producing unit
  unsigned waiting_pushes = 0;  ///< bit per consuming unit
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string_view name() const = 0;
  virtual const isa::Variant& variant() const = 0;

  /// Register space of isa/spec/registers.h; offsets are multiples of 4. An unmapped offset reads 0 and
  /// ignores writes.
  virtual std::uint32_t read_register(std::uint32_t offset) = 0;
  virtual void write_register(std::uint32_t offset, std::uint32_t value) = 0;

  /// DMA memory: byte addresses in [memory_base(), memory_base() + memory_size()), and in whatever segments
  /// the engine was given besides this one, the largest (sim/memory.h). An access outside throws UserError.
  virtual std::uint64_t memory_base() const = 0;
  virtual std::uint64_t memory_size() const = 0;
  virtual void read_memory(std::uint64_t address, std::span<std::byte> bytes) = 0;
  virtual void write_memory(std::uint64_t address, std::span<const std::byte> bytes) = 0;

  virtual bool interrupt() const = 0;

  /// Lets time pass until the interrupt rises, nothing can happen, or `cycle_limit` cycles have passed. An
  /// engine without time counts instructions instead of cycles.
  virtual Stop run(std::uint64_t cycle_limit) = 0;

  /// load, gemm, vector, store, fetch.
  virtual std::vector<UnitState> unit_states() const = 0;

  /// Receives events from now on; nullptr switches off. The sink must outlive its use.
  virtual void set_trace(trace::Sink* sink) = 0;
};

/// DMA memory of the simulated machines.
inline constexpr std::uint64_t kMemoryBase = 0x1000'0000;
inline constexpr std::uint64_t kDefaultMemoryBytes = 256ull << 20;

/// "load waits at instruction 12 for a token from gemm": one line per unit that waits.
std::string describe(const std::vector<UnitState>& states);

}  // namespace vdla::sim
