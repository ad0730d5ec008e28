// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/watch.h"

#include <algorithm>

#include "support/error.h"

namespace vdla::gpu {

Watch::Watch(const std::vector<std::span<std::byte>>& buffers, std::span<std::byte> shared) {
  for (const std::span<std::byte> buffer : buffers) areas_.push_back(area_of(buffer, false));
  areas_.push_back(area_of(shared, true));
}

Watch::Area Watch::area_of(std::span<std::byte> memory, bool is_shared) {
  auto* cells = static_cast<Cell*>(std::calloc(std::max<std::size_t>(memory.size(), 1), sizeof(Cell)));
  VDLA_CHECK_USER(cells != nullptr) << "no memory to watch a buffer of " << memory.size() << " bytes";
  return {memory, std::unique_ptr<Cell[], Free>(cells), is_shared};
}

void Watch::begin_launch() {
  first_block_ = block_ + 1;
  noted_ = 0;
}

void Watch::begin_block() {
  ++block_;
  ++phase_;
}

std::optional<Watch::Fault> Watch::access(const Access& a) {
  if (a.bytes == 0) return std::nullopt;
  noted_ += a.bytes;
  const auto area = std::ranges::find_if(areas_, [&](const Area& candidate) {
    const std::byte* begin = candidate.memory.data();
    return a.address >= begin && a.address < begin + candidate.memory.size();
  });
  const auto offset = [&] { return static_cast<std::size_t>(a.address - area->memory.data()); };
  if (area == areas_.end() || offset() + a.bytes > area->memory.size()) return Fault{Wrong::Outside};
  for (std::size_t i = offset(); i < offset() + a.bytes; ++i) {
    Cell& cell = area->cells[i];
    if (cell.phase != phase_) {
      cell.phase = phase_;
      cell.writer = cell.reader = 0;
    }
    if (auto fault = fault_of(*area, cell, a)) {
      fault->byte = i;
      if (!area->is_shared) fault->buffer = static_cast<std::size_t>(area - areas_.begin());
      return fault;
    }
    note(cell, a);
  }
  return std::nullopt;
}

std::optional<Watch::Fault> Watch::fault_of(const Area& area, const Cell& cell, const Access& a) const {
  const auto self = static_cast<std::uint16_t>(a.thread + 1);
  const auto thread = [](std::uint16_t number) {
    return number == kSeveral ? std::nullopt : std::optional<std::size_t>(number - 1);
  };
  if (cell.writer != 0 && cell.writer != self)
    return Fault{Wrong::AfterWrite, cell.write_line, thread(cell.writer)};
  if (a.writes && cell.reader != 0 && cell.reader != self)
    return Fault{Wrong::AfterRead, cell.read_line, thread(cell.reader)};
  if (area.is_shared) {
    if (!a.writes && cell.block_writer != block_) return Fault{Wrong::Unwritten};
    return std::nullopt;
  }
  if (cell.block_writer >= first_block_ && cell.block_writer != block_)
    return Fault{Wrong::BlockWrites, cell.write_line};
  if (a.writes && cell.block_reader >= first_block_ && cell.block_reader != block_)
    return Fault{Wrong::BlockReads, cell.block_read_line};
  return std::nullopt;
}

void Watch::note(Cell& cell, const Access& a) const {
  const auto self = static_cast<std::uint16_t>(a.thread + 1);
  const auto line = static_cast<std::uint16_t>(std::min<std::uint32_t>(a.line, kLineBeyond));
  if (a.writes) {
    cell.writer = self;
    cell.write_line = line;
    cell.block_writer = block_;
  } else {
    cell.reader = cell.reader == 0 || cell.reader == self ? self : kSeveral;
    cell.read_line = line;
    // Blocks run one after the other: the first that reads has ended when a second one does, so that a later
    // writer is another block than the first.
    if (cell.block_reader >= first_block_) return;
    cell.block_reader = block_;
    cell.block_read_line = line;
  }
}

}  // namespace vdla::gpu
