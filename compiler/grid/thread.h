// SPDX-License-Identifier: Apache-2.0
// Operations of one thread of a kernel, beside statements: compiler/intrinsics/thread.h declares these
// operations. Their sums are in memory of the thread's own.
#pragma once

#include <string_view>

#include "compiler/grid/warp.h"
#include "compiler/loop/stmt.h"

namespace vdla::grid {

/// Scope of memory of which each thread has its own: registers.
inline constexpr const char* kThreadScope = "local";

/// Four products of bytes, added to an integer.
inline constexpr const char* kDp4a = "dp4a";

inline bool is_of_thread(std::string_view intrinsic) { return intrinsic == kDp4a; }

/// Whether kernels have an operation of that name, of a thread or of a warp.
inline bool is_operation(std::string_view intrinsic) {
  return is_of_thread(intrinsic) || is_of_warp(intrinsic);
}
inline bool is_operation(const loop::IntrinsicCall& call) { return is_operation(call.name); }

}  // namespace vdla::grid
