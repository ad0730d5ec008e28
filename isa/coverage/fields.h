// SPDX-License-Identifier: Apache-2.0
// The lowest and the highest value of every numeric field that some legal instruction has, each with such an
// instruction: found by asking the rules, not written down.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"
#include "isa/spec/legality.h"

namespace vdla::isa {

/// The defaults of isa/codec: one piece, one step, no token.
Insn smallest_insn(Opcode opcode);

/// The words with another value in one field.
InsnWords with(InsnWords words, const Field& f, std::int64_t value);

/// Whether an engine can execute the instruction to its end: legal words, every SRAM index inside its buffer.
/// Windows are the driver's and can have any size.
bool can_execute(const Insn& insn, std::span<const Uop> uops, const Geometry& geometry);

struct FieldBound {
  Opcode opcode = Opcode::Load;
  const Field* field = nullptr;
  std::int64_t value = 0;
  Insn example;

  /// "load.run=256"
  std::string label() const;
};

/// Both bounds of each field of more than four bits but the tokens (one bound when they are the same); fields
/// of up to four bits hold names, which other tables cross.
///
/// The search is exact because the rules are monotone: with all other numbers at their smallest, the legal
/// values of a field are an interval around the smallest instruction's. "Smallest" leaves choices, which are
/// all tried: every legal combination of the named fields, and zero for counts that may be zero (when another
/// field is one).
std::vector<FieldBound> field_bounds(const Geometry& geometry);

}  // namespace vdla::isa
