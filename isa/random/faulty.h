// SPDX-License-Identifier: Apache-2.0
// Random programs at which an engine must stop with an error: exactly one instruction is at fault, whatever
// the order in which units work, and everything before it is good.
#pragma once

#include <optional>
#include <string>

#include "isa/random/draw.h"
#include "isa/random/random.h"
#include "isa/spec/errors.h"
#include "isa/spec/legality.h"

namespace vdla::isa {

enum class FaultKind : std::uint8_t {
  Illegal,   ///< a word that breaks a rule
  Window,    ///< an access leaves its window
  Sram,      ///< an index beyond its buffer
  Bus,       ///< the memory behind a window ends before the window does
  NoFinish,  ///< the last instruction fetched is not FINISH
};

struct FaultyProgram {
  RandomProgram random;  ///< good: the fault is beside it
  FaultKind kind = FaultKind::Illegal;
  ErrorCode code = ErrorCode::None;
  Unit unit = Unit::Fetch;  ///< unit that reports it
  std::uint32_t insn = 0;   ///< the instruction at fault
  std::string what;         ///< name of the change

  std::optional<InsnWords> words;  ///< words for the instruction at fault (Illegal, Window, Sram)
  unsigned rule = 0;               ///< the lowest that they break (Illegal)
  Window window = Window::Insn;    ///< Bus: memory ends at this byte of this window
  std::uint64_t window_end = 0;
  std::uint32_t insn_count = 0;  ///< instructions that the device is told of
};

/// Words of the rule's opcode that break this rule and no lower one; nothing where the geometry has none.
std::optional<InsnWords> break_rule(const InsnWords& words, unsigned rule, const Geometry& geometry,
                                    Draw& draw);

/// The kinds take turns by seed, and so do the rules among the illegal ones.
FaultyProgram random_faulty_program(const Geometry& geometry, const RandomOptions& options);

}  // namespace vdla::isa
