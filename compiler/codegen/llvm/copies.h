// SPDX-License-Identifier: Apache-2.0
// Stores to memory @shared that a machine may do as copies in the background, to be waited for at the next
// barrier; private to this folder.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/grid/kernels.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen {

/// A store that puts what a parameter that the kernel only reads holds into memory @shared, as it is, or 0
/// where a condition does not hold.
struct Copy {
  const expr::Load* from;
  expr::ExprPtr condition;  ///< null: always
};
std::optional<Copy> copy_of(const grid::Kernel& kernel, const loop::Store& store);

/// Stores whose element no thread, the storing one included, touches between the barriers in front of and
/// behind it: only a barrier waits. Halves of a double buffer are told apart.
std::unordered_set<const loop::Stmt*> copies_of(const grid::Kernel& kernel);

/// Barriers at the end of loops that fill parts of buffers several iterations early: how many iterations'
/// copies may still be under way after each. Other barriers wait for all.
std::unordered_map<const loop::Stmt*, std::int64_t> groups_left(
    const grid::Kernel& kernel, const std::unordered_set<const loop::Stmt*>& copies);

}  // namespace vdla::codegen
