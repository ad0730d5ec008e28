// SPDX-License-Identifier: Apache-2.0
// A variant of the machine: geometry (what programs depend on; enters the hash) and timing (what they do
// not).
#pragma once

#include <cstdint>
#include <string>

#include "isa/spec/insn.h"

namespace vdla::isa {

/// The accumulator memory is two banks, told apart by the top bit of the index. Gemm and vector work at full speed together while they use
/// different banks; in the same bank gemm goes first. Correct programs never depend on it.
inline constexpr unsigned kAccBanks = 2;

/// Largest block_in and block_out.
inline constexpr unsigned kMaxBlock = 64;

/// What a compiled program depends on. Depths are in entries.
struct Geometry {
  unsigned batch = 1;       ///< B: rows of the array
  unsigned block_in = 16;   ///< K: products summed per step
  unsigned block_out = 16;  ///< N: output channels per step
  unsigned inp_depth = 2048;
  unsigned wgt_depth = 128;
  unsigned acc_depth = 2048;
  unsigned out_depth = 512;
  unsigned par_depth = 128;
  unsigned uop_depth = 4096;
  unsigned queue_depth = 16;  ///< instructions per unit queue
  unsigned token_depth = 16;  ///< tokens per channel

  /// Lanes of the vector unit: one per accumulator element of an entry.
  unsigned vector_lanes() const { return batch * block_out; }
  /// Multipliers of the array.
  unsigned macs() const { return batch * block_in * block_out; }

  unsigned depth(Buffer b) const {
    switch (b) {
      case Buffer::Inp:
        return inp_depth;
      case Buffer::Wgt:
        return wgt_depth;
      case Buffer::Acc:
        return acc_depth;
      case Buffer::Out:
        return out_depth;
      case Buffer::Par:
        return par_depth;
      case Buffer::Uop:
        return uop_depth;
    }
    return 0;
  }

  /// Bytes of one entry.
  unsigned entry_bytes(Buffer b) const { return piece_bytes(b) * rows(b); }

  /// Bytes of one piece, the unit of LOAD and STORE (a widened par piece is block_out bytes instead).
  unsigned piece_bytes(Buffer b) const {
    switch (b) {
      case Buffer::Inp:
        return block_in;
      case Buffer::Wgt:
        return block_out * block_in;
      case Buffer::Acc:
        return 4 * block_out;
      case Buffer::Out:
        return block_out;
      case Buffer::Par:
        return 4 * block_out;
      case Buffer::Uop:
        return kUopBytes;
    }
    return 0;
  }

  /// Rows of an entry: pieces that share one entry.
  unsigned rows(Buffer b) const {
    return b == Buffer::Inp || b == Buffer::Acc || b == Buffer::Out ? batch : 1;
  }

  bool operator==(const Geometry&) const = default;
};

/// What only decides how long things take.
struct Timing {
  unsigned dram_latency = 48;         ///< cycles from address handshake to first data
  unsigned dram_outstanding = 8;      ///< read requests in flight
  unsigned dram_burst_bytes = 256;    ///< largest burst
  unsigned dram_bytes_per_cycle = 8;  ///< shared by reads and writes
  double clock_mhz = 100.0;

  bool operator==(const Timing&) const = default;
};

struct Variant {
  std::string name;
  Geometry geometry;
  Timing timing;
};

/// Throws UserError naming the field, the value seen and the value needed.
void validate(const Geometry& geometry);
void validate(const Timing& timing);

/// FNV-1a over version and every geometry field in declaration order, 32-bit little-endian each: readable in
/// the device's registers, carried by modules.
std::uint64_t geometry_hash(const Geometry& geometry);

}  // namespace vdla::isa
