// SPDX-License-Identifier: Apache-2.0
// DMA memory of the simulated machines: zero at first, byte addressed from kMemoryBase.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "sim/contract.h"

namespace vdla::sim {

class Memory {
 public:
  explicit Memory(std::uint64_t bytes = kDefaultMemoryBytes, std::uint64_t base = kMemoryBase);

  std::uint64_t base() const { return base_; }
  std::uint64_t size() const { return size_; }
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base_ && bytes <= size_ && address - base_ <= size_ - bytes;
  }
  /// The byte at an address that lies inside.
  std::byte* at(std::uint64_t address) { return bytes_.get() + (address - base_); }
  const std::byte* at(std::uint64_t address) const { return bytes_.get() + (address - base_); }

  /// Throw UserError when the access leaves the memory.
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  void write(std::uint64_t address, std::span<const std::byte> bytes);

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::uint64_t base_;
  std::uint64_t size_;
  std::unique_ptr<std::byte[], Free> bytes_;  ///< from calloc: pages come into being when touched
};

}  // namespace vdla::sim
