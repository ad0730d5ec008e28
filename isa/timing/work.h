// SPDX-License-Identifier: Apache-2.0
// Closed forms of the work in an instruction, shared by the cycle engine, the cost model and tests of the
// RTL: steps of gemm and vector; stretches, bursts and beats of load and store.
//
// A load or store asks for DRAM in stretches: positions, rows and planes whose bytes follow each other
// without a gap are one stretch. A stretch is cut into bursts at the multiples of the largest burst, so a
// burst crosses no 4 KiB border. A burst takes the beats of the bus that it touches.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"

namespace vdla::isa {

/// Steps of a gemm or vector instruction; 0 for others.
std::uint64_t steps_of(const Insn& insn);

/// Multiply-accumulates that the array does for a gemm, padded channels included; 0 for others.
std::uint64_t macs_of(const Insn& insn, const Geometry& geometry);

/// Bytes of DRAM in one piece.
unsigned piece_bytes_of(const MemoryInsn& insn, const Geometry& geometry);

/// How the DRAM side of a load or store is joined: `bytes` contiguous bytes at dram_offset + i*strides, i
/// below the counts (outermost first).
struct Stretches {
  std::uint64_t bytes = 0;
  std::uint64_t counts[3] = {1, 1, 1};
  std::uint64_t strides[3] = {0, 0, 0};

  std::uint64_t number() const { return counts[0] * counts[1] * counts[2]; }
};
Stretches stretches_of(const MemoryInsn& insn, const Geometry& geometry);

/// Calls f(byte offset in the window, bytes) for each stretch, in order; stretches that happen to touch (the
/// end of a row and the start of the next) are one.
template <class F>
void for_each_stretch(const MemoryInsn& insn, const Stretches& s, F&& f) {
  std::uint64_t begin = 0, bytes = 0;
  for (std::uint64_t z = 0; z < s.counts[0]; ++z)
    for (std::uint64_t y = 0; y < s.counts[1]; ++y)
      for (std::uint64_t x = 0; x < s.counts[2]; ++x) {
        const std::uint64_t at =
            (insn.dram_offset + z * s.strides[0] + y * s.strides[1] + x * s.strides[2]) & ((1ull << 48) - 1);
        if (bytes != 0 && at == begin + bytes) {
          bytes += s.bytes;
          continue;
        }
        if (bytes != 0) f(begin, bytes);
        begin = at;
        bytes = s.bytes;
      }
  if (bytes != 0) f(begin, bytes);
}

/// Calls f(address, bytes) for each burst of [address, address + bytes); `burst_bytes` is a power of two.
template <class F>
constexpr void for_each_burst(std::uint64_t address, std::uint64_t bytes, unsigned burst_bytes, F&& f) {
  while (bytes != 0) {
    const std::uint64_t room = burst_bytes - address % burst_bytes;
    const std::uint64_t part = std::min(bytes, room);
    f(address, static_cast<unsigned>(part));
    address += part;
    bytes -= part;
  }
}

/// Beats of the bus that [address, address + bytes) touches.
constexpr std::uint64_t beats_of(std::uint64_t address, std::uint64_t bytes, unsigned bus_bytes) {
  return bytes == 0 ? 0 : (address % bus_bytes + bytes + bus_bytes - 1) / bus_bytes;
}

/// DRAM and SRAM work of a load or store.
struct MoveWork {
  std::uint64_t pieces = 0;      ///< moved between DRAM and SRAM
  std::uint64_t pad_pieces = 0;  ///< filled with the pad value
  std::uint64_t bytes = 0;
  std::uint64_t bursts = 0;
  std::uint64_t beats = 0;
  bool operator==(const MoveWork&) const = default;
};

/// `window_base` is the byte address of the window: bursts are cut at addresses.
MoveWork move_work(const MemoryInsn& insn, const Geometry& geometry, const Timing& timing,
                   std::uint64_t window_base);

}  // namespace vdla::isa
