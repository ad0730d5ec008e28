// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/move.h"

#include <algorithm>
#include <vector>

#include "isa/spec/errors.h"
#include "support/bits.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

void put_bytes(std::vector<std::int8_t>& buffer, std::size_t at, std::span<const std::byte> piece) {
  std::ranges::transform(piece, buffer.begin() + static_cast<std::ptrdiff_t>(at),
                         [](std::byte b) { return static_cast<std::int8_t>(b); });
}

void put_parameters(const MemoryInsn& insn, unsigned entry, std::span<const std::byte> piece, Sram& sram) {
  const unsigned lanes = sram.geometry.block_out;
  for (unsigned n = 0; n < lanes; ++n)
    sram.par[std::size_t{entry} * lanes + n] =
        insn.widen ? static_cast<std::int8_t>(piece[n]) : load_le<std::int32_t>(piece.subspan(4 * n, 4));
}

/// Byte position of a row in a buffer of bytes.
std::size_t row_at(const Geometry& g, Buffer buffer, unsigned entry, unsigned row) {
  return std::size_t{entry} * g.entry_bytes(buffer) + std::size_t{row} * g.piece_bytes(buffer);
}

std::optional<Fault> check_run(const MemoryInsn& insn, const MemoryRun& run, const Geometry& g,
                               const Windows& windows) {
  const std::uint64_t bytes = std::uint64_t{insn.run} * piece_bytes(insn, g);
  if (!run.pad && !inside(windows[static_cast<unsigned>(insn.window)], run.offset, bytes))
    return Fault{ErrorCode::Window, run.offset};
  for (unsigned r = 0; r < insn.run; ++r)
    if (const auto entry = static_cast<std::uint16_t>(run.entry + r); entry >= g.depth(insn.buffer))
      return Fault{ErrorCode::SramBounds, entry};
  return std::nullopt;
}

std::optional<Fault> load_run(const MemoryInsn& insn, const MemoryRun& run, std::span<std::byte> bytes,
                              Sram& sram, const Windows& windows, Memory& memory) {
  if (run.pad) {
    std::ranges::fill(bytes, static_cast<std::byte>(insn.pad_value));
  } else {
    const std::uint64_t address = windows[static_cast<unsigned>(insn.window)].base + run.offset;
    if (!memory.read(address, bytes)) return Fault{ErrorCode::BusRead, address};
  }
  const std::size_t piece = bytes.size() / insn.run;
  for (unsigned r = 0; r < insn.run; ++r)
    put_piece(insn, static_cast<std::uint16_t>(run.entry + r), run.row, bytes.subspan(r * piece, piece),
              sram);
  return std::nullopt;
}

std::optional<Fault> store_run(const MemoryInsn& insn, const MemoryRun& run, std::span<std::byte> bytes,
                               const Sram& sram, const Windows& windows, Memory& memory) {
  const std::size_t piece = bytes.size() / insn.run;
  for (unsigned r = 0; r < insn.run; ++r) {
    const std::size_t from =
        row_at(sram.geometry, Buffer::Out, static_cast<std::uint16_t>(run.entry + r), run.row);
    for (std::size_t i = 0; i < piece; ++i) bytes[r * piece + i] = static_cast<std::byte>(sram.out[from + i]);
  }
  const std::uint64_t address = windows[static_cast<unsigned>(insn.window)].base + run.offset;
  if (!memory.write(address, bytes)) return Fault{ErrorCode::BusWrite, address};
  return std::nullopt;
}

}  // namespace

void put_piece(const MemoryInsn& insn, unsigned entry, unsigned row, std::span<const std::byte> piece,
               Sram& sram) {
  const std::size_t at = row_at(sram.geometry, insn.buffer, entry, row);
  switch (insn.buffer) {
    case Buffer::Inp:
      return put_bytes(sram.inp, at, piece);
    case Buffer::Wgt:
      return put_bytes(sram.wgt, at, piece);
    case Buffer::Out:
      return put_bytes(sram.out, at, piece);
    case Buffer::Par:
      return put_parameters(insn, entry, piece, sram);
    case Buffer::Uop:
      sram.uop[entry] = load_le<std::uint64_t>(piece);
      return;
    case Buffer::Acc:
      break;
  }
  VDLA_CHECK(false) << "load into " << to_string(insn.buffer);
}

std::optional<Fault> execute_move(const MemoryInsn& insn, Sram& sram, const Windows& windows,
                                  Memory& memory) {
  std::vector<std::byte> bytes(std::size_t{insn.run} * piece_bytes(insn, sram.geometry));
  std::optional<Fault> fault;
  for_each_run(insn, sram.geometry, [&](const MemoryRun& run) {
    fault = check_run(insn, run, sram.geometry, windows);
    if (!fault)
      fault = insn.opcode == Opcode::Load ? load_run(insn, run, bytes, sram, windows, memory)
                                          : store_run(insn, run, bytes, sram, windows, memory);
    return !fault;
  });
  return fault;
}

}  // namespace vdla::isa
