// SPDX-License-Identifier: Apache-2.0
// Watches the accesses of emulated threads to memory that they have in common: what two of them touch with no
// barrier between, what two blocks do, reads of bytes never written, what lies outside. Private to this
// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vdla::gpu {

class Watch {
 public:
  /// Watches the parameters of a program, then of a block.
  explicit Watch(const std::vector<std::span<std::byte>>& buffers, std::span<std::byte> shared);

  void begin_launch();
  void begin_block();
  /// Begins a phase, after a barrier.
  void begin_phase() { ++phase_; }

  struct Access {
    std::size_t thread;  ///< thread of the block
    const std::byte* address;
    std::size_t bytes;
    bool writes;
    std::uint32_t line;
  };
  /// Line of an access that a cell has no room for: this one or a later one.
  static constexpr std::uint32_t kLineBeyond = 0xffff;
  enum class Wrong : std::uint8_t {
    Outside,      ///< outside of all buffers
    Unwritten,    ///< memory of the block that no thread of it has written
    AfterWrite,   ///< another thread wrote it, with no barrier between
    AfterRead,    ///< another thread read it, with no barrier between
    BlockWrites,  ///< another block does
    BlockReads,   ///< another block does
  };
  struct Fault {
    Wrong wrong;
    std::uint32_t other_line = 0;               ///< line of the access before, or kLineBeyond
    std::optional<std::size_t> other_thread{};  ///< its thread; nothing: several
    std::size_t byte = 0;                       ///< byte in the buffer
    std::optional<std::size_t> buffer{};        ///< nothing: memory of the block
  };
  /// Notes it. What is wrong with it, if anything.
  std::optional<Fault> access(const Access& a);

  /// Bytes that were noted so far.
  std::size_t noted() const { return noted_; }

 private:
  /// Numbers of threads are one more than theirs, 0 stands for none. All zero: nothing has happened.
  struct Cell {
    std::uint32_t phase;
    std::uint16_t writer, reader;         ///< number in the phase
    std::uint16_t write_line, read_line;  ///< the last ones
    std::uint32_t block_writer;           ///< the last one; blocks count through all launches
    std::uint32_t block_reader;           ///< the first one of its launch
    std::uint16_t block_read_line;        ///< its first one
  };
  static constexpr std::uint16_t kSeveral = 0xffff;

  /// Pages of cells that are not touched take no memory.
  struct Free {
    void operator()(Cell* cells) const { std::free(cells); }
  };
  struct Area {
    std::span<std::byte> memory;
    std::unique_ptr<Cell[], Free> cells;
    bool is_shared;
  };
  static Area area_of(std::span<std::byte> memory, bool is_shared);
  std::optional<Fault> fault_of(const Area& area, const Cell& cell, const Access& a) const;
  void note(Cell& cell, const Access& a) const;

  std::vector<Area> areas_;
  std::uint32_t phase_ = 0, block_ = 0, first_block_ = 1;
  std::size_t noted_ = 0;
};

}  // namespace vdla::gpu
