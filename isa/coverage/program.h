// SPDX-License-Identifier: Apache-2.0
// The cover points that a program decides (not the order of events when it runs): crossed from the tables of
// isa/spec, reachable where the legality rules leave an instruction for them. sim/trace/coverage.h has those
// of a run.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "isa/coverage/fields.h"
#include "isa/coverage/table.h"
#include "isa/program/program.h"
#include "isa/spec/errors.h"

namespace vdla::isa {

// X(enumerator, "name", "doc")
#define VDLA_COVER_TABLES(X)                                                                         \
  X(Field, "field", "lowest and highest value of each numeric field")                                \
  X(Tokens, "tokens", "opcode x channels popped x channels pushed")                                  \
  X(Move, "move", "load and store: buffer x window x widening")                                      \
  X(Padding, "padding", "load and store: buffer x sides that are padded x what is read")             \
  X(Alignment, "alignment", "load and store: buffer x first byte within the bus")                    \
  X(DramStride, "dram_stride", "load and store: dimension x how its parts lie in DRAM")              \
  X(EntryStride, "entry_stride",                                                                     \
    "each stride of entries that is used: still, forward, backward (past 2^16)")                     \
  X(Entry, "entry", "each operand: first and last entry of its buffer")                              \
  X(Levels, "levels", "gemm and vector: levels of more than one iteration")                          \
  X(Reduce, "reduce", "gemm and vector: init x levels that reduce")                                  \
  X(Vector, "vector", "operation x result x operand a x operand b")                                  \
  X(Uop, "uop", "micro-ops that gemm uses: each field, number")                                      \
  X(Reuse, "reuse", "steps between the write of an entry and its next read in the same instruction") \
  X(Rule, "rule", "each rule of legality broken, reported by the device")                            \
  X(Error, "error", "error code x unit that raises it")

#define VDLA_COVER_ENUMERATOR(name, text, doc) name,
enum class CoverKind : std::uint8_t { VDLA_COVER_TABLES(VDLA_COVER_ENUMERATOR) };
#undef VDLA_COVER_ENUMERATOR

/// An instruction for one point, and the micro-ops that a gemm needs.
struct CoverExample {
  Insn insn;
  std::vector<Uop> uops;
};

// Long: a method for each group of cover points over one set of tables.
class ProgramCoverage {
 public:
  explicit ProgramCoverage(const Geometry& geometry);

  const Geometry& geometry() const { return geometry_; }
  std::span<const CoverTable> tables() const { return tables_; }
  std::span<CoverTable> tables() { return tables_; }
  const CoverTable& operator[](CoverKind kind) const { return tables_[static_cast<std::size_t>(kind)]; }

  /// Every instruction, gemms with the micro-ops that the loads before them bring.
  void note(const Program& program);
  /// `uops`: those that a gemm uses.
  void note(const Insn& insn, std::span<const Uop> uops = {});
  /// Notes what the error registers of a device said.
  void note_error(ErrorCode code, Unit unit, std::uint64_t address);

  /// A legal instruction that hits the point; none for what nothing legal can hit, and for rules and errors.
  std::optional<CoverExample> example(CoverKind kind, std::size_t place) const;

 private:
  void note_common(const Insn& insn);
  void note_entries(const Insn& insn, std::span<const Uop> uops);
  void note_move(const MemoryInsn& i);
  void note_gemm(const GemmInsn& i, std::span<const Uop> uops);
  void note_vector(const VectorInsn& i);
  void exclude_unreachable();
  CoverTable& table(CoverKind kind) { return tables_[static_cast<std::size_t>(kind)]; }

  Geometry geometry_;
  std::vector<FieldBound> bounds_;
  std::vector<CoverTable> tables_;
};

}  // namespace vdla::isa
