// SPDX-License-Identifier: Apache-2.0
// Random single instructions that stay inside given regions of the buffers and inside the windows; tokens are
// not set.
#pragma once

#include <array>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/random/draw.h"
#include "isa/random/random.h"

namespace vdla::isa {

/// Entries [begin, begin + size) of a buffer.
struct Region {
  unsigned begin = 0;
  unsigned size = 0;
};

struct ShapeContext {
  const Geometry& geometry;
  const RandomOptions& options;
  Draw& draw;
  std::array<Region, kBuffers.size()> regions;
  std::vector<Uop>& uop_sram;     ///< contents of the micro-op buffer at this point of the program
  const std::vector<Uop>& image;  ///< window uop
  std::uint64_t constant_bytes;

  const Region& region(Buffer b) const { return regions[static_cast<std::size_t>(b)]; }
};

/// A number that the caller drew to fit a field of 16 bits; of a negative stride the low half.
inline std::uint16_t u16(std::int64_t v) { return static_cast<std::uint16_t>(v); }

/// A load that writes a buffer's whole region once: the start of a program.
MemoryInsn whole_load(ShapeContext& c, Buffer buffer);
/// Vector instruction that writes all of acc once, from out.
VectorInsn whole_acc(ShapeContext& c);

MemoryInsn random_load(ShapeContext& c);
MemoryInsn random_store(ShapeContext& c);
GemmInsn random_gemm(ShapeContext& c);
VectorInsn random_vector(ShapeContext& c);

}  // namespace vdla::isa
