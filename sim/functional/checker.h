// SPDX-License-Identifier: Apache-2.0
// The dynamic checker of the functional engine: follows what a program really touches, step by step, and
// holds every access against what the tokens order. The engine tells it what happens; it says nothing about
// data.
//
//   order       two units touch an entry of a buffer or a byte of DRAM, one of them writes, and no chain of
//               tokens leads from one to the other
//   definition  an entry of which no row was written is read; a row that no value reached is stored; a byte
//   of
//               DRAM that neither the host nor a store has written is loaded
//   end         a token is left when the program ends, or an instruction stands behind its finish
//
// Faults (windows, bounds, illegal instructions) and deadlock are the engine's own business.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/semantics/state.h"

namespace vdla::sim {

enum class CheckKind : std::uint8_t { Unordered, Unwritten, TokenLeft, Unreachable };
std::string_view to_string(CheckKind kind);

struct CheckFinding {
  CheckKind kind = CheckKind::Unordered;
  std::uint32_t insn = 0;              ///< position in the run
  std::optional<std::uint32_t> other;  ///< the one it conflicts with
  std::string resource;                ///< "inp[12]", "act byte 63", "channel load->gemm"
  bool operator==(const CheckFinding&) const = default;
};

// Long: a method for each event of a run over one set of clocks.
class Checker {
 public:
  explicit Checker(const isa::Geometry& geometry);

  /// The first finding of each instruction, kind and partner.
  const std::vector<CheckFinding>& findings() const { return findings_; }
  /// Whether the host or a store has written all of these bytes of memory.
  bool defined(std::uint64_t address, std::uint64_t bytes) const;

  // Calls of the engine.
  void host_wrote(std::uint64_t address, std::uint64_t bytes);
  void start(const isa::Windows& windows);
  void pop(unsigned from, unsigned unit);
  /// A token of the unit's oldest instruction that has not retired; younger ones may have been executed.
  void push(unsigned unit, unsigned to);
  void retire(unsigned unit);
  /// Before the engine executes the instruction; `sram` is what it will find.
  void execute(unsigned unit, std::uint32_t insn, const isa::Insn& what, const isa::Sram& sram);
  /// The finish at position `insn` of a run of `count` instructions.
  void finish(std::uint32_t insn, std::uint32_t count);

 private:
  static constexpr std::size_t kUnits = isa::kQueueUnits;
  static constexpr std::uint64_t kPageBytes = 4096;
  /// Per unit: how many of its instructions are known to have completed.
  using Clock = std::array<std::uint32_t, kUnits>;
  using Rows = std::uint16_t;

  struct EntryState {
    Clock reads{}, writes{};  ///< the last access: place in the unit's order, from 1
    Rows rows = 0;            ///< rows that hold values
  };
  /// DRAM is read by load and written by store alone.
  struct Page {
    std::array<std::uint32_t, kPageBytes> reads{}, writes{};
    std::array<bool, kPageBytes> defined{};
  };
  struct Token {
    Clock clock;
    std::uint32_t insn;
  };

  void run(const isa::MemoryInsn& insn);
  void run(const isa::GemmInsn& insn, const isa::Sram& sram);
  void run(const isa::VectorInsn& insn);
  EntryState* entry(isa::Buffer buffer, unsigned index);
  void read(isa::Buffer buffer, unsigned index);
  void unwritten(isa::Buffer buffer, unsigned index);
  void write(isa::Buffer buffer, unsigned index);
  void read_bytes(const isa::MemoryInsn& insn, std::uint64_t offset, std::uint64_t bytes);
  void write_bytes(const isa::MemoryInsn& insn, std::uint64_t offset, std::uint64_t bytes);
  void order(const Clock& accesses, isa::Buffer buffer, unsigned index);
  void order_byte(isa::Unit unit, std::uint32_t access, isa::Window window, std::uint64_t offset);
  void add(CheckKind kind, std::optional<std::uint32_t> other, std::string resource);
  Page& page(std::uint64_t address);

  const isa::Geometry geometry_;
  const Rows all_rows_;
  isa::Windows windows_{};
  std::array<std::vector<EntryState>, isa::kBuffers.size()> buffers_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Clock, kUnits> clocks_{};
  std::array<std::vector<std::uint32_t>, kUnits> insns_;  ///< instructions by place in the unit's order
  std::array<std::array<std::deque<Token>, kUnits>, kUnits> tokens_;
  std::array<std::deque<Token>, kUnits> inflight_;  ///< tokens that each executed instruction will give
  unsigned unit_ = 0;                               ///< unit of the instruction being executed
  std::uint32_t insn_ = 0;                          ///< its position in the run
  std::vector<CheckFinding> findings_;
  std::set<std::tuple<CheckKind, std::uint32_t, std::uint32_t>> known_;
};

}  // namespace vdla::sim
