// SPDX-License-Identifier: Apache-2.0
// Loop IR as text; compiler/loop/parse.h reads it back. Comments run from '#' to the end of the line.
//
//   func scale(in A: f32[8, 4], out B: f32[8, 4]) {
//     for i in 0..8 parallel {         # or nothing (serial), unrolled, vectorized, vthread, thread.y, ...
//       alloc t: f32[4] @acc           # to the end of the block; then "strides [..]", "double held"
//       for j in 0..4 {                # (or "parts 3"; "held" may be left out)
//         t[j] = A[i, j] * 2f32
//       }
//       if i < 4 { ... } else { ... }
//       intrinsic copy(out B[i, 0] {4:1}, in t[0] {4:1})      # regions: origin {extent:stride, ...}
//       intrinsic dot(out ..., in ...) attrs(low = -128i32) reset(i == 0)
//       tensorize gemm { ... }         # asked for, not yet replaced
//     }
//   }
#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "compiler/expr/print.h"
#include "compiler/loop/stmt.h"

namespace vdla::loop {

std::string to_string(const Func& func);
/// One after the other.
std::string to_string(std::span<const Func> funcs);

/// The text of a function with the line of it, from 1, on which each statement begins; of a statement that
/// stands in several places, the last of them.
struct Listing {
  std::string text;
  std::unordered_map<const Stmt*, unsigned> lines;
};
Listing list(const Func& func);

/// A statement on its own, with buffers by name.
std::string to_string(const StmtPtr& s);

}  // namespace vdla::loop
