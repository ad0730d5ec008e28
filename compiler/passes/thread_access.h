// SPDX-License-Identifier: Apache-2.0
// Accesses of a block's threads to common memory, and whether two of them could be of one element by two
// threads. Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/expr/affine.h"
#include "compiler/grid/kernels.h"
#include "compiler/loop/stmt.h"

namespace vdla::passes {

/// Executors of a statement, along one kind of thread.
struct Executor {
  enum class Who : std::uint8_t {
    Each,  ///< each iteration of the loop `var` by a thread of its own
    One,   ///< the first thread alone, or there is but one
    All,   ///< every thread
  };
  Who who = Who::One;
  expr::VarPtr var = nullptr;
};
using Executors = std::array<Executor, grid::kThreadKinds>;

/// A load or a store of an element of memory that threads have in common.
struct ThreadAccess {
  const loop::Buffer* buffer;
  bool is_store;
  std::optional<expr::Affine> offset;  ///< offset in elements; none: any
  Executors executors;
  expr::Ranges ranges;  ///< ranges of what the offset uses
  /// The index of the first dimension, where what lies at different ones is apart: the halves of a double
  /// buffer.
  std::optional<expr::Affine> row = std::nullopt;
};

/// How the loops around two accesses are related, of which `first` comes first.
struct Meeting {
  const std::vector<expr::VarPtr>& same;  ///< variables with one value in both
  const expr::Variable* later = nullptr;  ///< a loop that `second` is in a later iteration of
};

/// Whether two different threads could touch the same element, one by `first` and one by `second`. Where that
/// cannot be excluded, it is said to be so. The proof: the difference of the two offsets is a sum of
/// products, and each coefficient, from the largest on, leaves one value for its factor if the sum is to be
/// 0. Where that is 0 for the difference of the threads' numbers, it is one thread that comes back to its
/// element. Rows that are never the same one tell everything apart.
bool may_meet(const ThreadAccess& first, const ThreadAccess& second, const Meeting& meeting);

}  // namespace vdla::passes
