// SPDX-License-Identifier: Apache-2.0
// Segments of one buffer.
#include "compiler/codegen/vdla/sram.h"

#include <algorithm>

#include "support/error.h"

namespace vdla::codegen {

SramAllocator::SramAllocator(std::int64_t depth, unsigned banks) : depth_(depth), banks_(banks) {
  segments_[0] = {depth, false, 0};
}

void SramAllocator::split_at(std::int64_t at) {
  if (at >= depth_) return;
  auto it = std::prev(segments_.upper_bound(at));
  if (it->first == at) return;
  Segment upper = it->second;
  it->second.end = at;
  segments_[at] = upper;
}

/// The window of `entries` free entries in [low, high) whose latest release is earliest. A best window can be
/// moved until it starts where a segment starts or ends where one ends.
std::optional<SramAllocator::Candidate> SramAllocator::best_in(std::int64_t low, std::int64_t high,
                                                               std::int64_t entries) const {
  std::optional<Candidate> best;
  const auto consider = [&](std::int64_t base) {
    if (base < low || base + entries > high) return;
    std::uint64_t freed = 0;
    for (auto it = std::prev(segments_.upper_bound(base));
         it != segments_.end() && it->first < base + entries; ++it) {
      if (it->second.live) return;
      freed = std::max(freed, it->second.freed);
    }
    if (!best || freed < best->freed) best = Candidate{base, freed};
  };
  consider(low);
  for (const auto& [base, segment] : segments_) {
    consider(base);
    consider(segment.end - entries);
  }
  consider(high - entries);
  return best;
}

std::optional<std::int64_t> SramAllocator::take(std::int64_t entries) {
  std::optional<Candidate> found;
  const std::int64_t bank = depth_ / banks_;
  if (banks_ > 1 && entries <= bank) {
    for (unsigned k = 1; k <= banks_ && !found; ++k) {
      const unsigned b = (last_bank_ + k) % banks_;
      found = best_in(b * bank, (b + 1) * bank, entries);
      if (found) last_bank_ = b;
    }
  }
  if (!found) found = best_in(0, depth_, entries);
  if (!found) return std::nullopt;
  occupy(found->base, entries);
  return found->base;
}

std::optional<std::int64_t> SramAllocator::first_free(std::int64_t low, std::int64_t high,
                                                      std::int64_t room) const {
  for (const auto& [base, segment] : segments_) {
    if (!segment.live || segment.end <= low) continue;
    if (base >= low + room) break;
    low = segment.end;
  }
  return low + room <= high ? std::optional(low) : std::nullopt;
}

std::optional<std::int64_t> SramAllocator::take_first(std::int64_t entries) {
  const std::int64_t bank = depth_ / banks_;
  std::optional<std::int64_t> found;
  for (const std::int64_t room : {bank, entries})
    for (unsigned b = 0; b < banks_ && entries <= bank && !found; ++b)
      found = first_free(b * bank, (b + 1) * bank, room);
  if (!found) found = first_free(0, depth_, entries);
  if (found) occupy(*found, entries);
  return found;
}

bool SramAllocator::take_at(std::int64_t base, std::int64_t entries) {
  if (!best_in(base, base + entries, entries) || base + entries > depth_) return false;
  occupy(base, entries);
  return true;
}

void SramAllocator::occupy(std::int64_t base, std::int64_t entries) {
  split_at(base);
  split_at(base + entries);
  // One segment per live instance.
  auto it = segments_.find(base);
  for (auto next = std::next(it); next != segments_.end() && next->first < base + entries;)
    next = segments_.erase(next);
  it->second = {base + entries, true, 0};
}

void SramAllocator::give_back(std::int64_t base) {
  const auto it = segments_.find(base);
  VDLA_CHECK(it != segments_.end() && it->second.live) << "entry " << base << " was not taken";
  it->second.live = false;
  it->second.freed = ++clock_;
}

std::vector<SramAllocator> allocators(const isa::Geometry& geometry) {
  std::vector<SramAllocator> all;
  for (const isa::NamedCode& row : isa::kBuffers) {
    const auto buffer = static_cast<isa::Buffer>(row.code);
    all.emplace_back(geometry.depth(buffer), buffer == isa::Buffer::Acc ? isa::kAccBanks : 1);
  }
  return all;
}

std::int64_t SramAllocator::largest_gap() const {
  std::int64_t largest = 0, gap = 0;
  for (const auto& [base, segment] : segments_) {
    gap = segment.live ? 0 : gap + segment.end - base;
    largest = std::max(largest, gap);
  }
  return largest;
}

}  // namespace vdla::codegen
