// SPDX-License-Identifier: Apache-2.0
#include "sim/memory.h"

#include <algorithm>
#include <cstring>
#include <ios>
#include <sstream>

#include "support/error.h"

namespace vdla::sim {
namespace {

std::string range_text(const MemorySegment& s) {
  std::ostringstream text;
  text << std::hex << "[0x" << s.base << ", 0x" << s.base + s.bytes.size() << ")";
  return text.str();
}

/// Sorts by addresses.
std::vector<MemorySegment> checked_segments(std::vector<MemorySegment> segments) {
  VDLA_CHECK_USER(!segments.empty()) << "simulated memory needs one segment at least, got none";
  std::ranges::sort(segments, {}, &MemorySegment::base);
  const MemorySegment* before = nullptr;
  for (const MemorySegment& s : segments) {
    VDLA_CHECK_USER(!s.bytes.empty() && s.base % kSegmentBytes == 0 && s.bytes.size() % kSegmentBytes == 0 &&
                    s.base + (s.bytes.size() - 1) >= s.base)
        << "segment " << range_text(s) << " of simulated memory needs whole pieces of " << kSegmentBytes
        << " bytes, one at least, below 2^64";
    VDLA_CHECK_USER(before == nullptr || s.base - before->base >= before->bytes.size())
        << "segments " << range_text(*before) << " and " << range_text(s)
        << " of simulated memory overlap, an address needs one place";
    before = &s;
  }
  return segments;
}

}  // namespace

Memory::Memory(std::uint64_t bytes, std::uint64_t base)
    : owned_(bytes <= SIZE_MAX ? static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(bytes), 1))
                               : nullptr),
      base_(base),
      size_(bytes),
      bytes_(owned_.get()) {
  VDLA_CHECK_USER(bytes_ != nullptr) << "cannot reserve " << bytes
                                     << " bytes of simulated memory; ask for less";
  segments_.push_back({base, {bytes_, static_cast<std::size_t>(bytes)}});
}

Memory::Memory(std::vector<MemorySegment> segments) : segments_(checked_segments(std::move(segments))) {
  const MemorySegment& largest =
      *std::ranges::max_element(segments_, {}, [](const MemorySegment& s) { return s.bytes.size(); });
  base_ = largest.base;
  size_ = largest.bytes.size();
  bytes_ = largest.bytes.data();
}

/// Calls copy(bytes in memory, offset) for the pieces of a range, segment by segment, as far as memory goes
/// without a gap.
template <class Copy>
void Memory::for_each_piece(std::uint64_t address, std::uint64_t bytes, Copy copy) const {
  std::uint64_t done = 0;
  for (const MemorySegment& s : segments_) {
    const std::uint64_t at = address + done;
    if (at < s.base) return;
    if (at - s.base >= s.bytes.size()) continue;
    const std::uint64_t here = std::min<std::uint64_t>(bytes - done, s.bytes.size() - (at - s.base));
    copy(s.bytes.subspan(at - s.base, here), done);
    done += here;
    if (done == bytes || address + done == 0) return;
  }
}

bool Memory::contains_elsewhere(std::uint64_t address, std::uint64_t bytes) const {
  if (bytes == 0) return find_elsewhere(address, 0) != nullptr;
  std::uint64_t inside = 0;
  for_each_piece(address, bytes, [&](std::span<std::byte> piece, std::uint64_t) { inside += piece.size(); });
  return inside == bytes;
}

std::byte* Memory::find_elsewhere(std::uint64_t address, std::uint64_t bytes) const {
  for (const MemorySegment& s : segments_)
    if (address >= s.base && bytes <= s.bytes.size() && address - s.base <= s.bytes.size() - bytes)
      return s.bytes.data() + (address - s.base);
  return nullptr;
}

void Memory::check_inside(std::uint64_t address, std::uint64_t bytes) const {
  if (contains(address, bytes)) return;
  std::string all;
  for (const MemorySegment& s : segments_) all += (all.empty() ? "" : " and ") + range_text(s);
  VDLA_CHECK_USER(false) << "memory access of " << bytes << " bytes at 0x" << std::hex << address
                         << " is outside of " << all;
}

void Memory::read(std::uint64_t address, std::span<std::byte> bytes) const {
  check_inside(address, bytes.size());
  for_each_piece(address, bytes.size(), [&](std::span<std::byte> piece, std::uint64_t offset) {
    std::ranges::copy(piece, bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  });
}

void Memory::write(std::uint64_t address, std::span<const std::byte> bytes) {
  check_inside(address, bytes.size());
  for_each_piece(address, bytes.size(), [&](std::span<std::byte> piece, std::uint64_t offset) {
    std::ranges::copy(bytes.subspan(offset, piece.size()), piece.begin());
  });
}

}  // namespace vdla::sim
