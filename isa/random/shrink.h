// SPDX-License-Identifier: Apache-2.0
// Makes a failing program small: fewer instructions, smaller extents, simpler values, less data. What failing
// means is the caller's business.
#pragma once

#include <cstddef>
#include <functional>

#include "isa/random/random.h"

namespace vdla::isa {

/// A program that fails, and the instruction that must stay as it is (kNone: none): one in whose place the
/// predicate puts an illegal word, say.
struct FailingProgram {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  RandomProgram random;
  std::size_t pinned = kNone;
};

/// Whether the fault still shows. Asked only for programs that are legal, stay inside buffers and windows and
/// read no SRAM that nothing wrote.
using Fails = std::function<bool(const FailingProgram&)>;

struct ShrinkOptions {
  std::size_t max_runs = 2000;  ///< most runs of the predicate
};

/// A smaller program that fails; the given one when nothing can go. Tokens are put in anew after each step
/// as long as the fault shows without those that the program had.
FailingProgram shrink(const FailingProgram& program, const Fails& fails, const ShrinkOptions& options = {});

}  // namespace vdla::isa
