// SPDX-License-Identifier: Apache-2.0
#include "sim/memory.h"

#include <cstring>
#include <ios>

#include "support/error.h"

namespace vdla::sim {
namespace {

void check_inside(const Memory& memory, std::uint64_t address, std::size_t bytes) {
  VDLA_CHECK_USER(memory.contains(address, bytes))
      << "memory access of " << bytes << " bytes at 0x" << std::hex << address << " is outside of [0x"
      << memory.base() << ", 0x" << memory.base() + memory.size() << ")";
}

}  // namespace

Memory::Memory(std::uint64_t bytes, std::uint64_t base)
    : base_(base), size_(bytes), bytes_(static_cast<std::byte*>(std::calloc(bytes, 1))) {
  VDLA_CHECK_USER(bytes_ != nullptr) << "cannot reserve " << bytes
                                     << " bytes of simulated memory; ask for less";
}

void Memory::read(std::uint64_t address, std::span<std::byte> bytes) const {
  check_inside(*this, address, bytes.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), at(address), bytes.size());
}

void Memory::write(std::uint64_t address, std::span<const std::byte> bytes) {
  check_inside(*this, address, bytes.size());
  if (!bytes.empty()) std::memcpy(at(address), bytes.data(), bytes.size());
}

}  // namespace vdla::sim
