// SPDX-License-Identifier: Apache-2.0
// Blocks of a grid and threads of a block, by x, y, z.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compiler/loop/stmt.h"

namespace vdla::grid {

/// Sizes by x, y, z.
using Dimensions = std::array<std::int64_t, 3>;

/// thread.x, thread.y, thread.z.
inline constexpr std::size_t kThreadKinds = 3;
inline std::size_t thread_index(loop::ForKind kind) {
  return static_cast<std::size_t>(kind) - static_cast<std::size_t>(loop::ForKind::ThreadX);
}
inline std::size_t block_index(loop::ForKind kind) {
  return static_cast<std::size_t>(kind) - static_cast<std::size_t>(loop::ForKind::BlockX);
}
inline loop::ForKind thread_kind(std::size_t index) {
  return static_cast<loop::ForKind>(static_cast<std::size_t>(loop::ForKind::ThreadX) + index);
}

/// The largest number of threads of each kind that a loop of the kernel asks for.
Dimensions threads_of(const loop::StmtPtr& kernel);

}  // namespace vdla::grid
