// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/store_timeline.h"

#include <algorithm>

#include "support/error.h"

namespace vdla::sim {

StoreTimeline::StoreTimeline(const isa::Geometry& g)
    : chunk_bytes_(std::min(g.block_out, kBeatBytes)), chunks_(g.block_out / chunk_bytes_) {}

void StoreTimeline::start(Cycle at, std::uint64_t pieces) {
  readings_.push_back({at, pieces, false});
  read_ahead();
}

/// Reads pieces as far as the cycles in which they can be are known.
void StoreTimeline::read_ahead() {
  while (!readings_.empty()) {
    Reading& r = readings_.front();
    if (!r.taken) {
      r.taken = true;
      taken_.push_latest(std::max(r.start + 1, last_read_));
    }
    while (r.pieces > 0) {
      Cycle read = std::max(r.start + 2, last_read_ + 1);
      if (open_ + ends_.size() == kPiecesAhead) {
        if (ends_.empty()) return;
        read = std::max(read, ends_.front() + 1);
        ends_.pop();
      }
      last_read_ = read;
      valid_.push(read + 2);
      reads_.push_back(read);
      ++open_;
      --r.pieces;
    }
    readings_.pop_front();
  }
}

unsigned StoreTimeline::waiting(Cycle now) const {
  auto count =
      static_cast<unsigned>(std::ranges::count_if(readings_, [](const Reading& r) { return !r.taken; }));
  for (std::size_t i = taken_.size(); i-- > 0 && taken_[i] >= now;) ++count;
  return count;
}

std::optional<StoreTimeline::Cycle> StoreTimeline::next_taken(Cycle now) const {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (taken_[i] >= now) return taken_[i];
  return std::nullopt;
}

/// Beats of this burst that must have left before the next chunk is taken: beside it the buffer holds one at
/// most.
unsigned StoreTimeline::beats_before_chunk() const {
  return received_ > kBeatBytes ? (received_ - 1) / kBeatBytes : 0;
}

void StoreTimeline::take_chunk() {
  VDLA_CHECK(!valid_.empty()) << "a store burst has more bytes than pieces";
  Cycle at = std::max({last_chunk_ + 1, loaded_ + 1, valid_.front()});
  if (const unsigned beats = beats_before_chunk(); beats > 0) at = std::max(at, beats_[beats - 1]);
  last_chunk_ = at;
  chunk_times_[chunks_taken_++] = at;
  received_ += chunk_bytes_;
  if (++chunk_ < chunks_) return;
  chunk_ = 0;
  valid_.pop();
  --open_;
  ends_.push(at);
  read_ahead();
}

/// First cycle in which the data queue has room for the next beat.
StoreTimeline::Cycle StoreTimeline::queue_room() const {
  const std::size_t back = kDataQueue - std::min<std::size_t>(first_beats_.size(), kDataQueue);
  return sent_.size() < back || back == 0 ? 0 : sent_[sent_.size() - back] + 1;
}

void StoreTimeline::pack(unsigned beat) {
  const unsigned need = std::min(offset_ + bytes_, (beat + 1) * kBeatBytes);
  while (received_ < need) take_chunk();
  const unsigned chunks = need > initial_ ? (need - initial_ + chunk_bytes_ - 1) / chunk_bytes_ : 0;
  Cycle at = (chunks == 0 ? loaded_ : chunk_times_[chunks - 1]) + 1;
  if (beat > 0) at = std::max(at, last_beat() + 1);
  beats_[beats_packed_++] = std::max(at, queue_room());
  if (recording_) told_beats_.push_back(last_beat());
  // Certain chunks are told at once: others share the port by which pieces are read.
  while (received_ < offset_ + bytes_ && beats_before_chunk() <= beats_packed_) take_chunk();
}

StoreTimeline::Cycle StoreTimeline::load(std::uint64_t address, unsigned bytes, Cycle at) {
  loaded_ = at;
  offset_ = carry_ == 0 ? address % kBeatBytes : 0;
  bytes_ = bytes;
  received_ = initial_ = offset_ + carry_;
  beats_packed_ = chunks_taken_ = 0;
  pack(0);
  VDLA_CHECK(first_beats_.size() < kBursts) << "store bursts that are packed and not sent";
  first_beats_.push(last_beat());
  if (offset_ + bytes_ <= kBeatBytes) close();
  return last_beat();
}

/// The last beat of the burst at hand is packed.
void StoreTimeline::close() {
  carry_ = received_ - offset_ - bytes_;
  free_ = last_beat();
}

StoreTimeline::Cycle StoreTimeline::send(const dram::Burst& burst) {
  Cycle packed = first_beats_.front();
  first_beats_.pop();
  for (unsigned beat = 0; beat < burst.beats(); ++beat) {
    if (beat > 0) {
      pack(beat);
      packed = last_beat();
    }
    const Cycle after = sent_.empty() ? 0 : sent_.back() + 1;
    sent_.push_latest(std::max({burst.beat(beat), packed + 1, after}));
  }
  if (burst.beats() > 1) close();
  return sent_.back();
}

}  // namespace vdla::sim
