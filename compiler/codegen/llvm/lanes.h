// SPDX-License-Identifier: Apache-2.0
// Which loops become vector code; private to this folder.
#pragma once

#include <optional>

#include "compiler/loop/stmt.h"

namespace vdla::codegen {

/// How many iterations of a Vectorized loop run at once, each statement for all of them before the next: a
/// divisor of the extent. Nothing where that could change the result or cannot be expressed; such a loop runs
/// iteration by iteration, with a hint to LLVM.
///
/// Vector code wants that no iteration sees what another one stored: for each buffer that is written, all
/// accesses move alike with the loop, by a step that keeps the lanes apart.
std::optional<unsigned> lanes_of(const loop::For& loop);

}  // namespace vdla::codegen
