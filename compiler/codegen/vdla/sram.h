// SPDX-License-Identifier: Apache-2.0
// Placement of buffer instances in one SRAM buffer, in program order: an instance takes the space that was
// given back longest ago, so consecutive tiles alternate and loads run ahead as far as there is room; or the
// first that is free.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "isa/spec/geometry.h"

namespace vdla::codegen {

class SramAllocator {
 public:
  /// With two banks, an instance that fits in one does not straddle, and instances alternate between them.
  SramAllocator(std::int64_t depth, unsigned banks);

  /// First entry, or nothing where no gap is large enough.
  std::optional<std::int64_t> take(std::int64_t entries);
  /// The first free entries: in a bank where nothing lies, or else in one with room, or else anywhere.
  std::optional<std::int64_t> take_first(std::int64_t entries);
  /// Exactly these entries; false where one of them is not free.
  bool take_at(std::int64_t base, std::int64_t entries);
  void give_back(std::int64_t base);

  std::int64_t depth() const { return depth_; }
  /// Largest gap.
  std::int64_t largest_gap() const;

 private:
  struct Segment {
    std::int64_t end;
    bool live;
    std::uint64_t freed;  ///< when it was given back; 0: never used
  };
  struct Candidate {
    std::int64_t base;
    std::uint64_t freed;
  };
  std::optional<Candidate> best_in(std::int64_t low, std::int64_t high, std::int64_t entries) const;
  /// The first of `room` free entries within [low, high).
  std::optional<std::int64_t> first_free(std::int64_t low, std::int64_t high, std::int64_t room) const;
  void split_at(std::int64_t at);
  void occupy(std::int64_t base, std::int64_t entries);

  std::int64_t depth_;
  unsigned banks_;
  unsigned last_bank_ = 1;
  std::uint64_t clock_ = 0;
  std::map<std::int64_t, Segment> segments_;  ///< segments by first entry, without holes
};

/// One for each buffer, by its code: all free.
std::vector<SramAllocator> allocators(const isa::Geometry& geometry);

}  // namespace vdla::codegen
