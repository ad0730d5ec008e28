// SPDX-License-Identifier: Apache-2.0
// Words for tests of the instruction check: legal ones of every shape, and random ones near the limits of a
// geometry that is none of the kit's.
#pragma once

#include <iterator>
#include <random>
#include <span>
#include <vector>

#include "isa/codec/codec.h"
#include "isa/spec/operations.h"
#include "support/bits.h"

namespace vdla::isa {

inline Geometry check_geometry() {
  Geometry g;
  g.inp_depth = 64;
  g.wgt_depth = 32;
  g.acc_depth = 128;
  g.out_depth = 256;
  g.par_depth = 16;
  g.uop_depth = 512;
  g.block_out = 8;
  return g;
}

/// One legal instruction of every shape.
inline const std::vector<InsnWords>& legal_words() {
  static const std::vector<InsnWords> kLegal = [] {
    MemoryInsn store;
    store.opcode = Opcode::Store;
    store.buffer = Buffer::Out;
    VectorInsn hsum, scale;
    hsum.op = VectorOp::Hsum;
    hsum.a_buffer = Buffer::Inp;
    scale.op = VectorOp::Scale;
    scale.b_kind = VectorB::Par;
    scale.dst_buffer = Buffer::Out;
    const std::vector<Insn> insns = {MemoryInsn{}, store, GemmInsn{},  VectorInsn{},
                                     hsum,         scale, FinishInsn{}};
    std::vector<InsnWords> words;
    for (const Insn& insn : insns) words.push_back(encode(insn));
    return words;
  }();
  return kLegal;
}

/// Any number, or one at or beside a limit of the geometry.
inline std::uint64_t random_value(std::mt19937_64& random) {
  const Geometry g = check_geometry();
  const unsigned limits[] = {0,           1,           g.inp_depth, g.wgt_depth, g.acc_depth,
                             g.out_depth, g.par_depth, g.uop_depth, 1u << 15,    1u << 16};
  if (random() % 2 == 0) return limits[random() % std::size(limits)] + random() % 5 - 2;
  return random() >> (random() % 64);
}

/// A legal instruction with a few fields changed, sometimes a bit anywhere.
inline InsnWords random_words(std::mt19937_64& random) {
  InsnWords words = legal_words()[random() % legal_words().size()];
  const std::span<const Field> fields = fields_of(static_cast<Opcode>(words[0] & 15));
  for (std::uint64_t changes = random() % 5; changes != 0; --changes) {
    const Field& f = fields[random() % fields.size()];
    if (f.width == 0) continue;
    words[f.word()] = set_bits(words[f.word()], f.shift(), f.width, random_value(random));
  }
  if (random() % 20 == 0) words[random() % 8] ^= std::uint64_t{1} << (random() % 64);
  return words;
}

}  // namespace vdla::isa
