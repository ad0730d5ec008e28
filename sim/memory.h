// SPDX-License-Identifier: Apache-2.0
// DMA memory of the simulated machines, byte addressed: memory of its own, zero at first, or segments at any
// address that are kept elsewhere, such as the memory of a processor that another program simulates.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "sim/contract.h"

namespace vdla::sim {

/// A stretch of DMA memory that is kept elsewhere; address and size are multiples of kSegmentBytes.
struct MemorySegment {
  std::uint64_t base = 0;
  std::span<std::byte> bytes;
};

inline constexpr std::uint64_t kSegmentBytes = 4096;

/// DMA memory in segments. The largest is looked at first, so that memory of one segment costs no search.
class Memory {
 public:
  /// Owns its bytes. Implicit, since engines take a Memory and most callers only say how large.
  Memory(std::uint64_t bytes = kDefaultMemoryBytes, std::uint64_t base = kMemoryBase);
  /// Borrows bytes, which must outlive it. Segments that touch are one piece of memory. UserError for none,
  /// for one that is empty or not of whole 4 KiB, and for two that overlap.
  explicit Memory(std::vector<MemorySegment> segments);

  /// Base of the largest segment, where programs are to be placed.
  std::uint64_t base() const { return base_; }
  std::uint64_t size() const { return size_; }

  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return in_largest(address, bytes) || contains_elsewhere(address, bytes);
  }
  /// Bytes that lie in one segment; nullptr where they do not.
  std::byte* find(std::uint64_t address, std::uint64_t bytes) {
    return in_largest(address, bytes) ? bytes_ + (address - base_) : find_elsewhere(address, bytes);
  }
  const std::byte* find(std::uint64_t address, std::uint64_t bytes) const {
    return in_largest(address, bytes) ? bytes_ + (address - base_) : find_elsewhere(address, bytes);
  }

  /// Throw UserError when the access leaves the memory.
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  void write(std::uint64_t address, std::span<const std::byte> bytes);

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };

  bool in_largest(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base_ && bytes <= size_ && address - base_ <= size_ - bytes;
  }
  bool contains_elsewhere(std::uint64_t address, std::uint64_t bytes) const;
  std::byte* find_elsewhere(std::uint64_t address, std::uint64_t bytes) const;
  void check_inside(std::uint64_t address, std::uint64_t bytes) const;
  template <class Copy>
  void for_each_piece(std::uint64_t address, std::uint64_t bytes, Copy copy) const;

  std::unique_ptr<std::byte[], Free> owned_;  ///< from calloc: pages come into being when touched
  std::vector<MemorySegment> segments_;       ///< segments in order of their addresses
  std::uint64_t base_ = 0;
  std::uint64_t size_ = 0;
  std::byte* bytes_ = nullptr;
};

}  // namespace vdla::sim
