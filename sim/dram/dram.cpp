// SPDX-License-Identifier: Apache-2.0
#include "sim/dram/dram.h"

#include <algorithm>

#include "support/error.h"

namespace vdla::dram {

Config make_config(const isa::Timing& timing, unsigned bus_bytes) {
  isa::validate(timing);
  VDLA_CHECK_USER(bus_bytes >= timing.dram_bytes_per_cycle && bus_bytes % timing.dram_bytes_per_cycle == 0)
      << "timing: dram_bytes_per_cycle is " << timing.dram_bytes_per_cycle << ", the data bus carries "
      << bus_bytes << "; needs a divisor of that";
  Config config;
  config.latency = timing.dram_latency;
  config.outstanding = timing.dram_outstanding;
  config.burst_bytes = timing.dram_burst_bytes;
  config.beat_bytes = bus_bytes;
  config.cycles_per_beat = bus_bytes / timing.dram_bytes_per_cycle;
  return config;
}

Config make_machine_config(const isa::Timing& timing) {
  VDLA_CHECK_USER(timing.dram_burst_bytes == kAxi4BurstBytes || timing.dram_burst_bytes == kAxi3BurstBytes)
      << "timing: dram_burst_bytes is " << timing.dram_burst_bytes
      << ", the hardware asks for bursts of up to " << kAxi4BurstBytes << " bytes (AXI4) or "
      << kAxi3BurstBytes << " (AXI3); needs one of these";
  return make_config(timing, kBusBytes);
}

Cycle Burst::late_beat(unsigned index) const {
  VDLA_CHECK(index < beats_) << "beat " << index << " of " << beats_;
  Cycle skip = Cycle{index + 1} * cycles_per_beat_ - 1;
  for (unsigned i = 0; i < runs(); ++i) {
    const Run& run = this->run(i);
    if (skip < run.count) return run.begin + skip;
    skip -= run.count;
  }
  return last();
}

unsigned Burst::late_together(unsigned index) const {
  Cycle skip = index;
  for (unsigned i = 0; i < runs(); ++i) {
    const Run& run = this->run(i);
    if (skip < run.count) return static_cast<unsigned>(run.count - skip);
    skip -= run.count;
  }
  return 0;
}

Burst Dram::read(Cycle now, unsigned beats) {
  VDLA_CHECK(read_accepted(now) == now)
      << "read address at cycle " << now << " with " << config_.outstanding << " reads in flight";
  Burst burst = reserve(now, now + config_.latency, beats);
  last_data_[oldest_] = burst.last();
  if (++oldest_ == last_data_.size()) oldest_ = 0;
  ++reads_;
  return burst;
}

Burst Dram::write(Cycle now, unsigned beats) { return reserve(now, now + 1, beats); }

Burst Dram::reserve(Cycle now, Cycle from, unsigned beats) {
  VDLA_CHECK(beats > 0) << "burst without data";
  while (!busy_.empty() && busy_.front().end() < now) busy_.pop_front();
  Burst burst(beats, config_.cycles_per_beat);
  Cycle left = Cycle{beats} * config_.cycles_per_beat;
  // Mostly the burst comes behind all others, or into the last row of reserved cycles and so behind it.
  if (busy_.empty() || busy_.back().end() < from) {
    busy_.push_back({from, left});
    burst.add({from, left});
    return burst;
  }
  if (busy_.back().begin <= from) {
    burst.add({busy_.back().end(), left});
    busy_.back().count += left;
    return burst;
  }
  auto next = busy_.end();  // the first that ends behind `from`: one of the last
  while (next != busy_.begin() && std::prev(next)->end() > from) --next;
  while (left > 0) {
    if (next != busy_.end() && next->begin <= from) {
      from = next->end();
      ++next;
      continue;
    }
    const Cycle room = next == busy_.end() ? left : std::min(left, next->begin - from);
    burst.add({from, room});
    left -= room;
    // Grow the run before the gap, or put a new one in; then swallow the run behind when the gap is full.
    if (next != busy_.begin() && std::prev(next)->end() == from) {
      std::prev(next)->count += room;
    } else {
      next = std::next(busy_.insert(next, {from, room}));
    }
    from += room;
    if (next != busy_.end() && next->begin == from) {
      std::prev(next)->count += next->count;
      from = next->end();
      next = busy_.erase(next);
    }
  }
  return burst;
}

void CyclePort::read_address(Cycle now, std::uint32_t tag, unsigned beats) {
  VDLA_CHECK(read_ready(now)) << "read address at cycle " << now << " while not ready";
  // The controller's own limit counts data that has come, this port's data that was taken: never the looser
  // of the two.
  reads_.push_back({tag, dram_.read(now, beats)});
  last_address_ = now + 1;
}

void CyclePort::write_address(Cycle now, std::uint32_t tag, unsigned beats) {
  writes_.push_back({tag, dram_.write(now, beats)});
}

std::optional<CyclePort::Beat> CyclePort::due(const std::deque<Transfer>& queue, Cycle now) {
  if (queue.empty()) return std::nullopt;
  const Transfer& t = queue.front();
  if (t.burst.beat(t.next) > now) return std::nullopt;
  return Beat{t.tag, t.next, t.next + 1 == t.burst.beats()};
}

std::optional<CyclePort::Beat> CyclePort::read_data(Cycle now) const { return due(reads_, now); }
std::optional<CyclePort::Beat> CyclePort::write_data(Cycle now) const { return due(writes_, now); }

void CyclePort::take_read_data(Cycle now) {
  VDLA_CHECK(read_data(now)) << "no read data at cycle " << now;
  if (++reads_.front().next == reads_.front().burst.beats()) reads_.pop_front();
}

void CyclePort::take_write_data(Cycle now) {
  VDLA_CHECK(write_data(now)) << "no write data at cycle " << now;
  Transfer& t = writes_.front();
  if (++t.next < t.burst.beats()) return;
  responses_.push_back({t.tag, now + dram_.config().write_response});
  writes_.pop_front();
}

std::optional<std::uint32_t> CyclePort::write_response(Cycle now) const {
  if (responses_.empty() || responses_.front().due > now) return std::nullopt;
  return responses_.front().tag;
}

void CyclePort::take_write_response() {
  VDLA_CHECK(!responses_.empty()) << "no write response is due";
  responses_.pop_front();
}

}  // namespace vdla::dram
