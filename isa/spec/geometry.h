// SPDX-License-Identifier: Apache-2.0
// A variant of the machine: geometry (what programs depend on; enters the hash) and timing (what they do
// not).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/spec/field.h"
#include "isa/spec/memories.h"
#include "isa/spec/units.h"

namespace vdla::isa {

/// The accumulator memory is two banks, told apart by the top bit of the index. Gemm and vector work at full
/// speed together while they use different banks; in the same bank gemm goes first. Correct programs never
/// depend on it.
inline constexpr unsigned kAccBanks = 2;

/// Largest block_in and block_out.
inline constexpr unsigned kMaxBlock = 64;

// X(name, NAME, default, least, most, "doc"): what a compiled program depends on, powers of two. Members,
// limits, hash, the keys of a variant's file, the fields of modules, the device's registers and the
// parameters of the hardware follow from this list. A new one goes to its end: a place in the list is
// the number's id in modules.
#define VDLA_GEOMETRY(X)                                                   \
  X(batch, BATCH, 1, 1, 16, "B: rows of the array")                        \
  X(block_in, BLOCK_IN, 16, 4, kMaxBlock, "K: products summed per step")   \
  X(block_out, BLOCK_OUT, 16, 4, kMaxBlock, "N: output channels per step") \
  X(inp_depth, INP_DEPTH, 2048, 16, kMaxDepth, "entries of buffer inp")    \
  X(wgt_depth, WGT_DEPTH, 128, 16, kMaxDepth, "entries of buffer wgt")     \
  X(acc_depth, ACC_DEPTH, 2048, 16, kMaxDepth, "entries of buffer acc")    \
  X(out_depth, OUT_DEPTH, 512, 16, kMaxDepth, "entries of buffer out")     \
  X(par_depth, PAR_DEPTH, 128, 16, kMaxDepth, "entries of buffer par")     \
  X(uop_depth, UOP_DEPTH, 4096, 16, kMaxDepth, "entries of buffer uop")    \
  X(queue_depth, QUEUE_DEPTH, 16, 2, 256, "instructions per unit queue")   \
  X(token_depth, TOKEN_DEPTH, 16, 2, 256, "tokens per channel")

struct Geometry {
#define VDLA_MEMBER(name, NAME, value, least, most, doc) unsigned name = value;
  VDLA_GEOMETRY(VDLA_MEMBER)
#undef VDLA_MEMBER

  /// Instructions that the queue of a unit holds.
  unsigned queue(Unit) const { return queue_depth; }

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

/// A number of a geometry; kGeometryFields has them in the order of the list.
struct GeometryField {
  std::string_view name;
  unsigned Geometry::* member;
  unsigned least, most;
  std::string_view doc;
};
#define VDLA_FIELD(name, NAME, value, least, most, doc) \
  GeometryField{#name, &Geometry::name, least, most, doc},
inline constexpr auto kGeometryFields = std::to_array<GeometryField>({VDLA_GEOMETRY(VDLA_FIELD)});
#undef VDLA_FIELD

/// Numbers that only decide how long things take.
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

/// FNV-1a over version and every geometry field in the list's order, 32-bit little-endian each: readable in
/// the device's registers, carried by modules.
std::uint64_t geometry_hash(const Geometry& geometry);

}  // namespace vdla::isa
