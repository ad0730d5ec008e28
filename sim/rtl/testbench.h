// SPDX-License-Identifier: Apache-2.0
// Surroundings of the machine on a board: clock, reset, DRAM on the AXI4 port, a processor on the AXI4-Lite
// port.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "sim/dram/dram.h"
#include "sim/memory.h"
#include "sim/rtl/disturbance.h"
#include "sim/rtl/library.h"
#include "sim/rtl/waves.h"

namespace vdla::sim {

/// A burst as it appears on an address channel.
struct BusBurst {
  std::uint64_t address;
  unsigned beats;
  bool write;
  bool load;            ///< a read of load, not of fetch
  std::uint64_t begin;  ///< cycle of the address handshake
};

// Long: one clock cycle of the machine's buses, which hold state from cycle to cycle.
class Testbench {
 public:
  /// The memory must outlive the testbench.
  Testbench(const isa::Variant& variant, const RtlOptions& options, Memory& memory);
  /// Writes the coverage that options ask for.
  ~Testbench();
  Testbench(const Testbench&) = delete;
  Testbench& operator=(const Testbench&) = delete;

  /// A new machine after its reset, undisturbed, on an idle bus; now() goes on. See RtlModel::power_up().
  void power_up(std::uint64_t seed);
  /// Its reset, and that of the bus: what was on its way is lost.
  void hard_reset();
  /// One clock cycle.
  void tick();
  std::uint64_t now() const { return now_; }
  const vdla_rtl_outputs& outputs() const { return out_; }
  RtlModel& model() { return model_; }
  void disturb(const Disturbance& disturbance);
  /// No waveforms from here on; UserError when what was written of them did not arrive. False: the run never
  /// reached the window that was asked for.
  bool end_waves() { return !waves_ || waves_->end(); }
  void get_events(vdla_rtl_events& events) const { model_.get_events(events); }

  std::uint32_t read_register(std::uint32_t offset);
  void write_register(std::uint32_t offset, std::uint32_t value);

  /// Called in each settled cycle before its clock edge; empty: not watched.
  std::function<void()> on_cycle;
  /// Called after the clock edge, before now() goes on.
  std::function<void()> on_edge;
  /// Called for each beat of write data that memory has taken.
  std::function<void(std::uint64_t address, unsigned strobes, bool last)> on_write;
  /// Called when the last data of a burst are on the bus.
  std::function<void(const BusBurst&)> on_burst;

 private:
  enum class Channel : std::uint8_t { ReadAddress, ReadData, WriteAddress, WriteData, Response, Registers };
  bool held(Channel channel) const {
    return (chance_ >> (8 * static_cast<unsigned>(channel)) & 0xffu) < disturbance_.bus;
  }
  void reset();
  void clear_bus();
  void draw();
  bool read_data_held();
  void drive_bus();
  void take_bus();
  std::uint64_t beat_address(std::uint32_t tag, unsigned index) const {
    return bursts_[tag % bursts_.size()].address + std::uint64_t{index} * dram::kBusBytes;
  }
  std::uint32_t remember(const BusBurst& burst);
  void finish(std::uint32_t tag);

  RtlOptions options_;
  dram::Config dram_config_;
  Memory& memory_;
  RtlModel model_;
  std::optional<WaveWindow> waves_;
  std::optional<OutputFile> coverage_;
  dram::CyclePort dram_;
  vdla_rtl_inputs in_{};
  vdla_rtl_outputs out_{};
  std::uint64_t now_ = 0;
  std::array<BusBurst, 256> bursts_{};  ///< bursts by tag; more than can be in flight
  std::array<bool, 256> write_failed_{};
  std::uint32_t next_tag_ = 0;
  Disturbance disturbance_;
  std::uint64_t chance_state_ = 0;
  /// Chances of this cycle: a byte for each channel.
  std::uint64_t chance_ = 0;
  std::uint64_t read_not_before_ = 0;                            ///< first data of the read at hand
  std::uint32_t read_tag_ = ~0u;                                 ///< the read at hand
  std::optional<dram::CyclePort::Beat> read_beat_, write_beat_;  ///< on the bus in this cycle
};

}  // namespace vdla::sim
