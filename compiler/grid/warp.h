// SPDX-License-Identifier: Apache-2.0
// Operations of the 32 lanes of a warp together: products of small matrices by tensor cores. Matrices are in
// memory of scopes of their own (fragments), of which each lane has a part; in loop IR they are buffers like
// others, one for each warp. compiler/intrinsics/warp.h declares the operations.
//
// A warp is a loop over thread.x of 32 threads. Operations stand outside of such loops: all lanes take part.
// An element of a fragment is read inside of one, by the lane that has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/expr/affine.h"
#include "compiler/loop/stmt.h"

namespace vdla::grid {

inline constexpr std::int64_t kWarpLanes = 32;

/// Scopes of fragments.
inline constexpr const char* kLeftScope = "mma.a";
inline constexpr const char* kRightScope = "mma.b";
inline constexpr const char* kSumScope = "mma.acc";
bool is_fragment(const expr::Buffer& buffer);

/// Operations.
inline constexpr const char* kLoadLeft = "mma.load_a";
inline constexpr const char* kLoadRight = "mma.load_b";
inline constexpr const char* kFillSums = "mma.fill";
inline constexpr const char* kMultiply = "mma.sync";
bool is_of_warp(std::string_view intrinsic);
inline bool is_of_warp(const loop::IntrinsicCall& call) { return is_of_warp(call.name); }

/// Parts of a fragment that an operation takes: sums are 16 x 8, operands have 16 rows (of the left matrix,
/// or columns of the right one) with 32 bytes of terms each.
inline constexpr std::int64_t kFragmentRows = 16, kFragmentColumns = 8, kFragmentBytes = 32;

/// The lane that has an element of a fragment of sums, and the element's number among the four that a lane
/// has.
struct Owner {
  std::int64_t lane, element;
};
Owner owner_of_sum(std::int64_t row, std::int64_t column);

/// Bytes of a buffer that a thread has: of a fragment its part.
std::int64_t bytes_of_thread(const expr::Buffer& buffer);

/// The offset of a region's elements, with a variable for each axis, whose range is added.
expr::ExprPtr offset_of(const loop::Region& region, expr::Ranges& ranges);

/// The index of the buffer's first dimension that all elements of a region have; null where it is not proven
/// that they have one.
expr::ExprPtr common_row_of(const loop::Region& region, const expr::Ranges& ranges);

}  // namespace vdla::grid
