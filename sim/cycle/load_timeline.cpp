// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/load_timeline.h"

#include <algorithm>

#include "isa/semantics/nest.h"
#include "support/error.h"

namespace vdla::sim {
namespace {

constexpr unsigned kChunkBytes = 8;

}  // namespace

LoadTimeline::Receive LoadTimeline::receive_of(std::uint32_t index, const isa::MemoryInsn& insn, Cycle at,
                                               const isa::Geometry& g) {
  const unsigned piece = isa::piece_bytes(insn, g);
  Receive r{index, insn.buffer, at, std::min(piece, kChunkBytes), {}};
  const std::uint64_t chunks = std::uint64_t{insn.x_count} * insn.run * (piece / r.chunk_bytes);
  const auto add = [&](std::uint64_t pads, std::uint64_t data) {
    if (!r.segments.empty() && (pads == 0 || r.segments.back().chunks == 0)) {
      r.segments.back().pads += pads;
      r.segments.back().chunks += data;
    } else {
      r.segments.push_back({pads, data});
    }
  };
  for (unsigned z = 0; z < insn.z_count; ++z)
    for (unsigned y = 0; y < insn.y_total(); ++y) {
      if (y < insn.y_pad_before || y >= 0u + insn.y_pad_before + insn.y_count) {
        add(std::uint64_t{insn.x_total()} * insn.run, 0);
      } else {
        add(std::uint64_t{insn.x_pad_before} * insn.run, chunks);
        add(std::uint64_t{insn.x_pad_after} * insn.run, 0);
      }
    }
  return r;
}

void LoadTimeline::start(std::uint32_t index, const isa::MemoryInsn& insn, Cycle at) {
  receives_.push_back(receive_of(index, insn, at, geometry_));
  advance();
}

void LoadTimeline::place(std::uint64_t count, Cycle from) {
  if (count == 0) return;
  next_step_ = from + count;
  const Receive& r = receives_.front();
  if (!recording_ && r.buffer != isa::Buffer::Inp && r.buffer != isa::Buffer::Out) return;
  if (!steps_.empty() && steps_.back().insn == r.index && steps_.back().end == from)
    steps_.back().end = from + count;
  else
    steps_.push_back({r.index, r.buffer, from, from + count});
}

/// Takes instructions and places padding until data are needed.
void LoadTimeline::advance() {
  while (!receives_.empty()) {
    Receive& r = receives_.front();
    if (!active_) {
      // next_step_ - 1 is the last step of the one before.
      const Cycle taken = std::max(r.start + 1, next_step_ == 0 ? 0 : next_step_ - 1);
      taken_.push_latest(taken);
      next_step_ = taken + 1;
      active_ = true;
    }
    while (r.segment < r.segments.size()) {
      Segment& s = r.segments[r.segment];
      place(std::exchange(s.pads, 0), next_step_);
      if (s.chunks > 0) return;
      ++r.segment;
    }
    done_.push_back(next_step_ - 1);
    receives_.pop_front();
    active_ = false;
  }
}

void LoadTimeline::take_beat(unsigned used, Cycle ready) {
  VDLA_CHECK(active_) << "data for no load";
  const unsigned size = receives_.front().chunk_bytes;
  // Beside this beat the buffer holds 8 bytes at most: earlier chunks must have left.
  Cycle at = std::max(ready, last_beat_);
  unsigned held = partial_;
  for (std::size_t i = placed_.size(); i-- > 0;) {
    held += placed_[i].bytes;
    if (held <= kChunkBytes) continue;
    at = std::max(at, placed_[i].at);
    break;
  }
  last_beat_ = at + 1;
  partial_ += used;
  while (partial_ >= size) {
    Segment& s = receives_.front().segments[receives_.front().segment];
    const Cycle step = std::max(next_step_, at + 1);
    place(1, step);
    placed_.push_latest({step, size});
    partial_ -= size;
    if (--s.chunks == 0) {
      advance();
      if (receives_.empty()) break;
    }
  }
}

/// Takes beats that come one in each cycle and are a chunk each: whatever held up the first two, from then on
/// one leaves in each cycle. Returns how many; 0 when this is not how things stand.
unsigned LoadTimeline::take_chunks(const dram::Burst& burst, unsigned beat, unsigned whole) {
  if (!active_ || partial_ != 0 || receives_.front().chunk_bytes != kChunkBytes) return 0;
  Cycle latest = 0, second = 0;  // times of the chunks before
  if (const std::size_t placed = placed_.size(); placed > 0) {
    if (placed_.back().bytes != kChunkBytes) return 0;
    latest = placed_.back().at;
    if (placed > 1) second = placed_[placed - 2].at;
  }
  Segment& s = receives_.front().segments[receives_.front().segment];
  const auto most = static_cast<unsigned>(std::min<std::uint64_t>(whole, s.chunks));
  const unsigned many = std::min(most, burst.together(beat));
  if (many < 2) return 0;
  // Beat i is taken when the buffer holds no more than the chunk before it: when the one before that leaves.
  const Cycle taken0 = std::max({burst.beat(beat), last_beat_, second});
  const Cycle step0 = std::max(next_step_, taken0 + 1);
  const Cycle taken1 = std::max(taken0 + 1, latest);
  const Cycle step1 = std::max(step0 + 1, taken1 + 1);
  Cycle taken = taken1;
  if (many > 2) taken = std::max(taken1 + 1, step0) + many - 3;
  if (many > 3) taken = std::max(taken, step1 + many - 4);
  if (step1 == step0 + 1) {
    place(many, step0);
  } else {
    place(1, step0);
    place(many - 1, step1);
  }
  last_beat_ = taken + 1;
  placed_.push_latest({many > 2 ? step1 + many - 3 : step0, kChunkBytes});
  placed_.push_latest({step1 + many - 2, kChunkBytes});
  s.chunks -= many;
  if (s.chunks == 0) advance();
  return many;
}

LoadTimeline::Cycle LoadTimeline::take(const dram::Burst& burst, unsigned first_byte, unsigned bytes,
                                       Cycle earliest) {
  last_beat_ = std::max(last_beat_, earliest);
  unsigned at = first_byte, left = bytes;
  for (unsigned beat = 0; beat < burst.beats();) {
    if (at == 0)
      if (const unsigned many = take_chunks(burst, beat, left / kChunkBytes); many > 0) {
        beat += many;
        left -= many * kChunkBytes;
        continue;
      }
    const unsigned used = std::min(left, kChunkBytes - at);
    take_beat(used, burst.beat(beat));
    left -= used;
    at = 0;
    ++beat;
  }
  return last_beat_ - 1;
}

std::optional<LoadTimeline::Cycle> LoadTimeline::pop_done() {
  if (done_.empty()) return std::nullopt;
  const Cycle done = done_.front();
  done_.pop_front();
  return done;
}

unsigned LoadTimeline::waiting(Cycle now) const {
  unsigned count = static_cast<unsigned>(receives_.size()) - (active_ ? 1 : 0);
  for (std::size_t i = taken_.size(); i-- > 0 && taken_[i] >= now;) ++count;
  return count;
}

std::optional<LoadTimeline::Cycle> LoadTimeline::next_taken(Cycle now) const {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (taken_[i] >= now) return taken_[i];
  return std::nullopt;
}

}  // namespace vdla::sim
