// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/store_timeline.h"

#include <algorithm>

namespace vdla::sim {

StoreTimeline::StoreTimeline(const isa::Geometry& g)
    : chunk_bytes_(std::min(g.block_out, kBeatBytes)), chunks_(g.block_out / chunk_bytes_) {}

void StoreTimeline::take_chunk() {
  if (chunk_ == 0) {
    // Three pieces may be read or wait; a piece is there two cycles after its read.
    Cycle read = std::max(earliest_piece_, last_read_ + 1);
    if (ends_.size() == kPiecesAhead) read = std::max(read, ends_.front() + 1);
    last_read_ = read;
    piece_valid_ = read + 2;
    reads_.push_back(read);
  }
  // Beside this chunk the buffer holds one beat at most.
  const unsigned must_be_sent =
      received_ > kBeatBytes ? (received_ - kBeatBytes + kBeatBytes - 1) / kBeatBytes : 0;
  Cycle at = std::max({last_chunk_ + 1, loaded_ + 1, piece_valid_});
  if (must_be_sent > 0 && must_be_sent <= beats_.size()) at = std::max(at, beats_[must_be_sent - 1]);
  last_chunk_ = at;
  received_ += chunk_bytes_;
  if (++chunk_ < chunks_) return;
  chunk_ = 0;
  ends_.push_back(at);
  if (ends_.size() > kPiecesAhead) ends_.pop_front();
}

/// First cycle in which the data queue has room for the next beat.
StoreTimeline::Cycle StoreTimeline::queue_room() const {
  return sent_.size() < kDataQueue ? 0 : sent_.front() + 1;
}

void StoreTimeline::pack(unsigned beat) {
  const unsigned need = std::min(offset_ + bytes_, (beat + 1) * kBeatBytes);
  while (received_ < need) take_chunk();
  Cycle at = std::max(last_chunk_, loaded_) + 1;
  if (beat > 0) at = std::max(at, beats_.back() + 1);
  beats_.push_back(std::max(at, queue_room()));
}

StoreTimeline::Cycle StoreTimeline::load(std::uint64_t address, unsigned bytes, Cycle at) {
  loaded_ = at;
  offset_ = carry_ == 0 ? address % kBeatBytes : 0;
  bytes_ = bytes;
  received_ = offset_ + carry_;
  beats_.clear();
  pack(0);
  return beats_.back();
}

StoreTimeline::Cycle StoreTimeline::send(const dram::Burst& burst) {
  for (unsigned beat = 0; beat < burst.beats(); ++beat) {
    if (beat > 0) pack(beat);
    const Cycle after = sent_.empty() ? 0 : sent_.back() + 1;
    sent_.push_back(std::max({burst.beat(beat), beats_.back() + 1, after}));
    if (sent_.size() > kDataQueue) sent_.pop_front();
  }
  carry_ = received_ - offset_ - bytes_;
  free_ = beats_.back();
  return sent_.back();
}

}  // namespace vdla::sim
