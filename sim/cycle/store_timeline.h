// SPDX-License-Identifier: Apache-2.0
// When the store unit reads pieces of out, packs chunks into beats and sends them (the RTL's vdla_store,
// vdla_store_pack and the data queue of vdla_axi_write). Plain C++.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "isa/spec/geometry.h"
#include "sim/cycle/ring.h"
#include "sim/dram/dram.h"

namespace vdla::sim {

class StoreTimeline {
 public:
  using Cycle = std::uint64_t;

  explicit StoreTimeline(const isa::Geometry& geometry);

  /// Starts an instruction with `pieces` in this cycle.
  void start(Cycle at, std::uint64_t pieces);
  /// A burst meets the packer in this cycle, which is free(). Returns the cycle of its first beat, with which
  /// the burst goes to the bus.
  Cycle load(std::uint64_t address, unsigned bytes, Cycle at);
  /// The rest of the oldest burst that is not sent, once its place on the bus is known. Returns the cycle in
  /// which the bus takes the last beat.
  Cycle send(const dram::Burst& burst);
  /// Cycle from which on the packer takes another burst; of a burst of several beats it is known after
  /// send().
  Cycle free() const { return free_; }

  /// Instructions that wait for the reader at the start of a cycle.
  unsigned waiting(Cycle now) const;
  /// Cycle after which the oldest of them no longer waits, if known.
  std::optional<Cycle> next_taken(Cycle now) const;

  /// Cycles in which pieces are read that have become known since they were last forgotten.
  const std::vector<Cycle>& reads() const { return reads_; }
  void forget_reads() { reads_.clear(); }
  /// Cycles in which beats enter the data queue, likewise, if they are recorded.
  const std::vector<Cycle>& beats() const { return told_beats_; }
  void forget_beats() { told_beats_.clear(); }
  void record(bool on) { recording_ = on; }

 private:
  static constexpr unsigned kBeatBytes = 8, kDataQueue = 8, kPiecesAhead = 3;
  static constexpr std::size_t kBursts = 16;  ///< bursts that may be on their way

  Cycle last_beat() const { return beats_[beats_packed_ - 1]; }
  void pack(unsigned beat);
  void read_ahead();
  unsigned beats_before_chunk() const;
  void take_chunk();
  Cycle queue_room() const;
  void close();

  unsigned chunk_bytes_, chunks_;  ///< sizes of a piece
  Cycle free_ = 0;
  // The burst that is being filled.
  Cycle loaded_ = 0;
  unsigned offset_ = 0, bytes_ = 0;
  unsigned received_ = 0;  ///< bytes in the buffer or sent, with the gap before the first byte
  unsigned initial_ = 0;   ///< beats of these that are there from the start
  Cycle last_chunk_ = 0;
  // Times of its chunks and beats: 256 bytes at most, and a piece that reaches into the next burst.
  std::array<Cycle, 96> chunk_times_{};
  unsigned chunks_taken_ = 0;
  std::array<Cycle, 40> beats_{};  ///< when its beats enter the data queue
  unsigned beats_packed_ = 0;
  Ring<Cycle, kBursts> first_beats_;  ///< first beats of bursts that are not sent
  unsigned carry_ = 0;                ///< bytes of the next burst that are here already
  // Pieces: three may be read or wait. An instruction is taken by the reader in the cycle before its first
  // piece can be read.
  struct Reading {
    Cycle start;
    std::uint64_t pieces;
    bool taken;
  };
  std::deque<Reading> readings_;
  Ring<Cycle, 8> taken_;
  Ring<Cycle, 4> valid_;  ///< when pieces that are read can be cut
  Ring<Cycle, 4> ends_;   ///< ends of cut pieces whose places are not taken again
  unsigned open_ = 0;     ///< pieces read and not cut
  unsigned chunk_ = 0;
  Cycle last_read_ = 0;
  Ring<Cycle, kDataQueue> sent_;  ///< when the bus took the latest beats
  std::vector<Cycle> reads_, told_beats_;
  bool recording_ = false;
};

}  // namespace vdla::sim
