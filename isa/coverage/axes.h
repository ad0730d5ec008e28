// SPDX-License-Identifier: Apache-2.0
// The labels of the axes of ProgramCoverage, and what they stand for; private to isa/coverage.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "isa/coverage/table.h"
#include "isa/spec/insn.h"

namespace vdla::isa {

enum class StrideSign : std::uint8_t { Still, Forward, Backward };
enum class DramLayout : std::uint8_t { Repeats, Overlaps, Touches, Apart };
enum class PaddedData : std::uint8_t { Both, NoX, NoY, None };

/// Opcodes of the Move, Padding, Alignment and DramStride tables; of Levels and Reduce; of Tokens.
inline constexpr std::array kMoveOpcodes{Opcode::Load, Opcode::Store};
inline constexpr std::array kNestOpcodes{Opcode::Gemm, Opcode::Vector};
inline constexpr std::array kTokenOpcodes{Opcode::Load, Opcode::Gemm, Opcode::Vector, Opcode::Store};

/// Operands of the Entry table.
struct EntryOperand {
  Opcode opcode;
  std::string_view role;  ///< role of a vector's operand
  Buffer buffer;
};
std::vector<EntryOperand> entry_operands();

/// Strides of entries by field name, and the operand of a nest's stride: 0 acc or dst, 1 inp or a, 2 wgt or
/// b.
struct EntryStrideField {
  Opcode opcode;
  const Field* field;
  unsigned level = 0;    ///< level of a nest
  unsigned operand = 0;  ///< operand of a nest
};
std::vector<EntryStrideField> entry_stride_fields();

/// Distances of the Reuse table.
inline constexpr unsigned kGemmReuse = 4;     ///< acc read `d` steps after it was written
inline constexpr unsigned kVectorCReuse = 3;  ///< acc[dst] read `d` steps after it was written
inline constexpr unsigned kVectorAReuse = 9;  ///< operand a

/// Labels of the Uop table.
inline constexpr std::array<std::string_view, 3> kUopOperands{"acc", "inp", "wgt"};
inline constexpr unsigned kUopOne = 9, kUopSeveral = 10;

std::vector<CoverTable> make_tables(const std::vector<std::string>& field_bounds);

}  // namespace vdla::isa
