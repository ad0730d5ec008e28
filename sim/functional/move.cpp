// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/move.h"

#include <cstring>

#include "isa/semantics/move.h"
#include "isa/semantics/nest.h"
#include "sim/functional/range.h"

namespace vdla::sim {
namespace {

using isa::Buffer;
using isa::MemoryInsn;

std::byte* bytes_of(Buffer buffer, isa::Sram& sram) {
  switch (buffer) {
    case Buffer::Inp:
      return reinterpret_cast<std::byte*>(sram.inp.data());
    case Buffer::Wgt:
      return reinterpret_cast<std::byte*>(sram.wgt.data());
    case Buffer::Acc:
      return reinterpret_cast<std::byte*>(sram.acc.data());
    case Buffer::Out:
      return reinterpret_cast<std::byte*>(sram.out.data());
    case Buffer::Par:
      return reinterpret_cast<std::byte*>(sram.par.data());
    case Buffer::Uop:
      return reinterpret_cast<std::byte*>(sram.uop.data());
  }
  return nullptr;
}

bool entries_inside(const MemoryInsn& insn, const isa::Geometry& g) {
  const unsigned groups = (insn.x_total() + g.rows(insn.buffer) - 1) / g.rows(insn.buffer);
  IndexRange entries{insn.sram_base, std::int64_t{insn.sram_base} + std::int64_t{groups} * insn.run - 1};
  const auto add = [&](unsigned count, std::uint16_t stride) {
    const std::int64_t reach = (std::int64_t{count} - 1) * static_cast<std::int16_t>(stride);
    (reach < 0 ? entries.low : entries.high) += reach;
  };
  add(insn.y_total(), insn.y_sram_stride);
  add(insn.z_count, insn.z_sram_stride);
  return entries.inside(g.depth(insn.buffer));
}

bool touches_memory(const MemoryInsn& insn) { return insn.x_count != 0 && insn.y_count != 0; }

/// The first of the bytes that the instruction touches; nullptr unless they and all between them are inside
/// of the window, lie in one segment, and no offset wraps.
std::byte* find_bytes(const MemoryInsn& insn, const isa::Geometry& g, const isa::WindowRange& window,
                      Memory& memory) {
  constexpr std::uint64_t kLimit = 1ull << 48;
  const std::uint64_t last = insn.dram_offset + std::uint64_t{insn.z_count - 1u} * insn.z_dram_stride +
                             std::uint64_t{insn.y_count - 1u} * insn.y_dram_stride +
                             std::uint64_t{insn.x_count - 1u} * insn.x_dram_stride;
  const std::uint64_t end = last + std::uint64_t{insn.run} * isa::piece_bytes(insn, g);
  if (end > kLimit || end > window.size || window.base >= kLimit) return nullptr;
  return memory.find(window.base + insn.dram_offset, end - insn.dram_offset);
}

/// Moves rows of positions; the instruction is known to stay inside. `first` is its first byte in memory,
/// null where it is padding alone.
class Mover {
 public:
  Mover(const MemoryInsn& insn, isa::Sram& sram, std::byte* first)
      : insn_(insn),
        sram_(sram),
        first_(first),
        buffer_(bytes_of(insn.buffer, sram)),
        rows_(sram.geometry.rows(insn.buffer)),
        piece_(isa::piece_bytes(insn, sram.geometry)),
        entry_(insn.buffer == Buffer::Par ? sram.geometry.piece_bytes(Buffer::Par) : piece_ * rows_) {}

  void run() const {
    for (unsigned z = 0; z < insn_.z_count; ++z)
      for (unsigned y = 0; y < insn_.y_total(); ++y) row(z, y);
  }

 private:
  void row(unsigned z, unsigned y) const {
    const auto entry =
        static_cast<std::uint16_t>(insn_.sram_base + z * insn_.z_sram_stride + y * insn_.y_sram_stride);
    if (y < insn_.y_pad_before || y >= 0u + insn_.y_pad_before + insn_.y_count)
      return pad(entry, 0, insn_.x_total());
    const std::uint64_t offset =
        std::uint64_t{z} * insn_.z_dram_stride + std::uint64_t{y - insn_.y_pad_before} * insn_.y_dram_stride;
    pad(entry, 0, insn_.x_pad_before);
    if (first_ != nullptr) copy(entry, insn_.x_pad_before, first_ + offset);
    pad(entry, insn_.x_pad_before + insn_.x_count, insn_.x_total());
  }

  bool plain() const { return rows_ == 1 && !insn_.widen; }

  void pad(unsigned entry, unsigned begin, unsigned end) const {
    if (plain()) {
      std::memset(buffer_ + (entry + std::size_t{begin} * insn_.run) * entry_,
                  static_cast<unsigned char>(insn_.pad_value), std::size_t{end - begin} * insn_.run * entry_);
      return;
    }
    const std::vector<std::byte> piece(piece_, static_cast<std::byte>(insn_.pad_value));
    for (unsigned x = begin; x < end; ++x)
      for (unsigned r = 0; r < insn_.run; ++r) put(entry, x, r, piece.data());
  }

  void copy(unsigned entry, unsigned begin, std::byte* dram) const {
    const std::size_t bytes = insn_.run * piece_;
    if (plain()) {
      std::byte* to = buffer_ + (entry + std::size_t{begin} * insn_.run) * entry_;
      if (insn_.x_dram_stride == bytes) return transfer(to, dram, bytes * insn_.x_count);
      for (unsigned x = 0; x < insn_.x_count; ++x)
        transfer(to + x * bytes, dram + std::uint64_t{x} * insn_.x_dram_stride, bytes);
      return;
    }
    for (unsigned x = 0; x < insn_.x_count; ++x)
      for (unsigned r = 0; r < insn_.run; ++r)
        put(entry, begin + x, r, dram + std::uint64_t{x} * insn_.x_dram_stride + r * piece_);
  }

  void transfer(std::byte* entries, std::byte* dram, std::size_t bytes) const {
    if (insn_.opcode == isa::Opcode::Load)
      std::memcpy(entries, dram, bytes);
    else
      std::memcpy(dram, entries, bytes);
  }

  void put(unsigned entry, unsigned x, unsigned r, const std::byte* dram) const {
    const unsigned e = entry + x / rows_ * insn_.run + r;
    if (insn_.opcode == isa::Opcode::Load) return isa::put_piece(insn_, e, x % rows_, {dram, piece_}, sram_);
    std::memcpy(const_cast<std::byte*>(dram), buffer_ + e * entry_ + x % rows_ * piece_, piece_);
  }

  const MemoryInsn& insn_;
  isa::Sram& sram_;
  std::byte* first_;
  std::byte* buffer_;
  unsigned rows_;
  std::size_t piece_;
  std::size_t entry_;
};

}  // namespace

bool BusMemory::read(std::uint64_t address, std::span<std::byte> bytes) {
  if (!memory_.contains(address, bytes.size())) return false;
  memory_.read(address, bytes);
  return true;
}

bool BusMemory::write(std::uint64_t address, std::span<const std::byte> bytes) {
  if (!memory_.contains(address, bytes.size())) return false;
  memory_.write(address, bytes);
  return true;
}

std::optional<isa::Fault> run_move(const MemoryInsn& insn, isa::Sram& sram, const isa::Windows& windows,
                                   Memory& memory) {
  const isa::WindowRange& window = windows[static_cast<unsigned>(insn.window)];
  std::byte* first = touches_memory(insn) ? find_bytes(insn, sram.geometry, window, memory) : nullptr;
  if (!entries_inside(insn, sram.geometry) || (touches_memory(insn) && first == nullptr)) {
    BusMemory bus(memory);
    return isa::execute_move(insn, sram, windows, bus);
  }
  Mover(insn, sram, first).run();
  return std::nullopt;
}

}  // namespace vdla::sim
