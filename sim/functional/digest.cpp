// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/digest.h"

#include <cstring>

#include "isa/codec/codec.h"
#include "isa/semantics/nest.h"
#include "support/overloaded.h"

namespace vdla::sim {
namespace {

using isa::Buffer;

void note(const isa::MemoryInsn& i, const isa::Sram& sram, const isa::Windows& windows,
          trace::WriteDigest& digest) {
  const isa::Geometry& g = sram.geometry;
  const std::uint64_t base = windows[static_cast<unsigned>(i.window)].base;
  const std::uint64_t bytes = std::uint64_t{i.run} * isa::piece_bytes(i, g);
  isa::for_each_run(i, g, [&](const isa::MemoryRun& run) {
    if (i.opcode == isa::Opcode::Store)
      digest.note_bytes(base + run.offset, bytes);
    else
      for (unsigned r = 0; r < i.run; ++r)
        digest.note_row(i.buffer, static_cast<std::uint16_t>(run.entry + r), run.row);
    return true;
  });
}

void note(const isa::GemmInsn& i, const isa::Sram& sram, trace::WriteDigest& digest) {
  isa::for_each_iteration(i.levels, [&](const isa::Counters& c) {
    for (unsigned u = 0; u < i.uop_count; ++u)
      digest.note_entry(Buffer::Acc,
                        isa::gemm_step_at(i, c, u, isa::decode_uop(sram.uop[i.uop_begin + u])).acc);
    return true;
  });
}

void note(const isa::VectorInsn& i, trace::WriteDigest& digest) {
  isa::for_each_iteration(i.levels, [&](const isa::Counters& c) {
    digest.note_entry(i.dst_buffer, isa::vector_step_at(i, c).dst);
    return true;
  });
}

template <class T>
std::span<const std::byte> row_of(const std::vector<T>& buffer, unsigned row, unsigned row_bytes) {
  return std::as_bytes(std::span(buffer)).subspan(std::size_t{row} * row_bytes, row_bytes);
}

}  // namespace

std::uint64_t digest_of(const isa::Insn& insn, const isa::Sram& sram, const isa::Windows& windows,
                        const Memory& memory, trace::WriteDigest& digest) {
  std::visit(overloaded{
                 [&](const isa::MemoryInsn& i) { note(i, sram, windows, digest); },
                 [&](const isa::GemmInsn& i) { note(i, sram, digest); },
                 [&](const isa::VectorInsn& i) { note(i, digest); },
                 [](const isa::FinishInsn&) {},
             },
             insn);
  const isa::Geometry& g = sram.geometry;
  digest.add_rows([&](Buffer buffer, unsigned entry, unsigned row) {
    const unsigned at = entry * g.rows(buffer) + row, bytes = g.piece_bytes(buffer);
    switch (buffer) {
      case Buffer::Inp:
        return row_of(sram.inp, at, bytes);
      case Buffer::Wgt:
        return row_of(sram.wgt, at, bytes);
      case Buffer::Acc:
        return row_of(sram.acc, at, bytes);
      case Buffer::Out:
        return row_of(sram.out, at, bytes);
      case Buffer::Par:
        return row_of(sram.par, at, bytes);
      case Buffer::Uop:
        return row_of(sram.uop, at, bytes);
    }
    return std::span<const std::byte>();
  });
  digest.add_words([&](std::uint64_t address) {
    std::uint64_t value = 0;
    if (const std::byte* word = memory.find(address, sizeof value)) std::memcpy(&value, word, sizeof value);
    return value;
  });
  return digest.take();
}

}  // namespace vdla::sim
