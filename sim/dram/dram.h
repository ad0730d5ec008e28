// SPDX-License-Identifier: Apache-2.0
// DRAM timing that the SystemC engine and the RTL testbench share. Plain C++ without a clock: the cycle is an
// argument.
//
// The data bus moves one beat per `cycles_per_beat` cycles, reads and writes together. A burst reserves its
// cycles on the bus when its address is handed over: the first free ones from `latency` cycles (read) or one
// cycle (write) later on. Reservations never move, so a burst's times are known at once, reads return in
// order, a burst fills gaps that earlier ones left and waits for what was reserved before it: no burst
// starves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "isa/spec/geometry.h"

namespace vdla::dram {

using Cycle = std::uint64_t;

struct Config {
  unsigned latency = 48;         ///< cycles from address handshake to first data of a read
  unsigned outstanding = 8;      ///< reads in flight
  unsigned burst_bytes = 256;    ///< largest burst
  unsigned beat_bytes = 8;       ///< width of the data bus
  unsigned cycles_per_beat = 1;  ///< bus cycles that a beat takes
  unsigned write_response = 4;   ///< cycles from a write's last data to its response
};

/// Bytes of a beat of the machine's data bus.
inline constexpr unsigned kBusBytes = 8;
/// Bytes of the longest burst that a machine asks for: 32 beats on AXI4, or 16, as many as AXI3 has.
/// Parameter BurstBytes of the hardware.
inline constexpr unsigned kAxi4BurstBytes = 256, kAxi3BurstBytes = 128;

/// The memory of a machine with this timing. Throws UserError for one that the hardware cannot have.
Config make_machine_config(const isa::Timing& timing);

/// Throws UserError when a bus of this width cannot carry the bytes per cycle of the timing.
Config make_config(const isa::Timing& timing, unsigned bus_bytes);

/// Beats that [address, address + bytes) touches.
constexpr unsigned beats_of(std::uint64_t address, std::uint64_t bytes, unsigned beat_bytes) {
  return static_cast<unsigned>((address % beat_bytes + bytes + beat_bytes - 1) / beat_bytes);
}

/// Cycles in [begin, begin + count).
struct Run {
  Cycle begin;
  Cycle count;
  Cycle end() const { return begin + count; }
};

/// When a burst has the bus.
class Burst {
 public:
  Burst(unsigned beats, unsigned cycles_per_beat) : beats_(beats), cycles_per_beat_(cycles_per_beat) {}

  unsigned beats() const { return beats_; }
  /// Cycle in which beat `index` is on the bus (its last one, when it takes several).
  Cycle beat(unsigned index) const {
    const Cycle skip = Cycle{index + 1} * cycles_per_beat_ - 1;
    return skip < run_.count && index < beats_ ? run_.begin + skip : late_beat(index);
  }
  /// Beats from `index` on that come one in each cycle.
  unsigned together(unsigned index) const {
    if (cycles_per_beat_ == 1 && index < run_.count) return static_cast<unsigned>(run_.count - index);
    return cycles_per_beat_ > 1 ? 1 : late_together(index);
  }
  Cycle first() const { return beat(0); }
  Cycle last() const { return run(runs() - 1).end() - 1; }
  unsigned runs() const { return static_cast<unsigned>(1 + more_.size()); }
  const Run& run(unsigned index) const { return index == 0 ? run_ : more_[index - 1]; }
  void add(const Run& run) {
    if (run_.count == 0)
      run_ = run;
    else
      more_.push_back(run);
  }

 private:
  Cycle late_beat(unsigned index) const;
  unsigned late_together(unsigned index) const;

  Run run_{};              ///< most have no other
  std::vector<Run> more_;  ///< behind it
  unsigned beats_;
  unsigned cycles_per_beat_;
};

/// The memory controller. Calls come with a `now` that never decreases.
class Dram {
 public:
  explicit Dram(const Config& config) : config_(config), last_data_(config.outstanding) {}

  const Config& config() const { return config_; }

  /// Earliest cycle >= now in which a read address is accepted.
  Cycle read_accepted(Cycle now) const {
    return reads_ < last_data_.size() ? now : std::max(now, last_data_[oldest_] + 1);
  }
  /// Address handshake of a read. Throws InternalError when none is accepted at `now`.
  Burst read(Cycle now, unsigned beats);
  /// The master takes the last data of the read just asked for later than it comes; until then the read is in
  /// flight.
  void postpone_read(Cycle last) {
    Cycle& latest = last_data_[(oldest_ == 0 ? last_data_.size() : oldest_) - 1];
    latest = std::max(latest, last);
  }
  /// Address handshake of a write; its data is taken in the beats' cycles.
  Burst write(Cycle now, unsigned beats);
  /// Cycle in which the response of a write comes.
  Cycle response(const Burst& write) const { return write.last() + config_.write_response; }

 private:
  Burst reserve(Cycle now, Cycle from, unsigned beats);

  Config config_;
  std::deque<Run> busy_;  ///< reserved cycles, ascending, disjoint, merged
  // Last data of the latest reads, as many as may be in flight: the next waits for the oldest of them.
  std::vector<Cycle> last_data_;
  std::size_t oldest_ = 0;   ///< its place, which the next read takes
  std::uint64_t reads_ = 0;  ///< since the beginning
};

/// Controller that is asked cycle by cycle, as a testbench drives AXI. Within a cycle ask for valid and ready
/// first, then report handshakes. Data that the master does not take (or offer) in its cycle waits in the
/// controller; that order of one beat per cycle and channel stays.
class CyclePort {
 public:
  struct Beat {
    std::uint32_t tag;  ///< as given with the address
    unsigned index;
    bool last;
  };

  explicit CyclePort(const Config& config) : dram_(config) {}

  bool read_ready(Cycle now) const {
    return reads_.size() < dram_.config().outstanding && now >= last_address_;
  }
  void read_address(Cycle now, std::uint32_t tag, unsigned beats);
  std::optional<Beat> read_data(Cycle now) const;
  void take_read_data(Cycle now);

  void write_address(Cycle now, std::uint32_t tag, unsigned beats);
  /// The beat of write data that is taken at `now`, if the master offers it.
  std::optional<Beat> write_data(Cycle now) const;
  void take_write_data(Cycle now);
  /// Tag of the write whose response is due.
  std::optional<std::uint32_t> write_response(Cycle now) const;
  void take_write_response();

  bool idle() const { return reads_.empty() && writes_.empty() && responses_.empty(); }

 private:
  struct Transfer {
    std::uint32_t tag;
    Burst burst;
    unsigned next = 0;
  };
  struct Response {
    std::uint32_t tag;
    Cycle due;
  };
  static std::optional<Beat> due(const std::deque<Transfer>& queue, Cycle now);

  Dram dram_;
  Cycle last_address_ = 0;
  std::deque<Transfer> reads_;
  std::deque<Transfer> writes_;
  std::deque<Response> responses_;
};

}  // namespace vdla::dram
