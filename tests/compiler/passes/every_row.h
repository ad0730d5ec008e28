// SPDX-License-Identifier: Apache-2.0
// Functions that have something to do for every row of a table of lowering, and tables without one of their
// rows.
#pragma once

#include <algorithm>
#include <string_view>

#include "compiler/passes/target.h"

namespace vdla::passes {

inline constexpr const char* kEveryRow =
    R"(func every_row(in a: u8[6, 4], in w: i8[6, 8, 4], in A: i32[4, 8], inout B: i32[8], out C: i32[4, 8], out D: i32[10], out E: i32[16], out F: i32[8], out G: i32[32]) {
  for c in 0..6 {
    tensorize dot4 {
      for n in 0..8 vectorized { for k in 0..4 {
        B[n] = B[n] + i32(a[c, k]) * i32(w[c, n, k]) } }
    }
  }
  for i in 0..4 {
    alloc t: i32[8] double
    for j in 0..8 { t[j] = A[i, j] }
    for j.1 in 0..8 { C[i, j.1] = t[7 - j.1] }
  }
  for v in 0..2 vthread { for m in 0..4 { F[v * 4 + m] = A[v, m] } }
  for b in 0..2 block.x { for x in 0..8 thread.x {
    alloc s: i32[8] @shared
    for y in 0..8 thread.x { s[y] = A[b, y] }
    E[b * 8 + x] = s[7 - x] } }
  for io in 0..3 { for ii in 0..4 { if io * 4 + ii < 10 { D[io * 4 + ii] = 1i32 } } }
  for z in 0..32 { G[z] = A[floor_div(z, 8), floor_mod(z, 8)] }
  alloc p: i32[8]
  alloc q: i32[8]
  alloc r: i32[8]
  for p.i in 0..8 { p[p.i] = B[p.i] + 1i32 }
  for q.i in 0..8 { q[q.i] = p[q.i] * 2i32 }
  for r.i in 0..8 { r[r.i] = q[7 - r.i] + 3i32 }
  for g in 0..2 unrolled { for h in 0..4 { B[g * 4 + h] = r[g * 4 + h] } }
  for l in 0..7 vectorized { B[l + 1] = B[l] + 5i32 }
})";

/// The same for machines with a grid.
inline constexpr const char* kEveryRowOfGrid =
    R"(func every_row_of_grid(in A: i32[2, 8], in W: i32[4, 8], out C: i32[2, 8], out D: i32[2, 8], out E: i32[2, 8, 4], out F: i32[2, 8], out G: i32[2], out H: i32[2, 8, 7], out K: i32[2, 8, 4], out L: i32[16],
    in P: i8[2, 16, 32], in Q: i8[16, 32], out M: i32[2, 16, 8]) {
  for b in 0..2 block.x {
    alloc s: i32[8] @shared
    for x in 0..8 thread.x { s[x] = A[b, x] }
    for x in 0..8 thread.x {
      C[b, x] = s[7 - x]
      for i in 0..2 {
        alloc t: i32[4] double
        for j in 0..4 { t[j] = W[j, x] }
        for j.1 in 0..4 { E[b, x, j.1] = t[3 - j.1] } }
      for v in 0..2 vthread { for m in 0..2 { K[b, x, v * 2 + m] = A[v, m] } }
      alloc p: i32[4]
      alloc q: i32[4]
      alloc r: i32[4]
      for p.i in 0..4 { p[p.i] = W[p.i, x] + 1i32 }
      for q.i in 0..4 { q[q.i] = p[3 - q.i] * 2i32 }
      for r.i in 0..4 { r[r.i] = q[3 - r.i] + 3i32 }
      D[b, x] = r[0]
      for g in 0..2 unrolled { F[b, x] = r[g + 1] }
      for l in 0..7 vectorized { H[b, x, l] = A[b, l] } }
    G[b] = s[0]
  }
  for z in 0..16 block.x { L[z] = A[floor_div(z, 8), floor_mod(z, 8)] }
  for w in 0..2 block.x {
    alloc left: i8[16, 32] @shared
    alloc right: i8[16, 32] @shared
    for i in 0..16 { for l in 0..32 thread.x {
      left[i, l] = P[w, i, l]
      right[i, l] = Q[i, l] } }
    alloc fa: i8[16, 32] @mma.a
    alloc fb: i8[16, 32] @mma.b
    alloc sums: i32[16, 8] @mma.acc
    for i in 0..16 { for j in 0..8 { sums[i, j] = 0i32 } }
    tensorize mma.load_a { for i in 0..16 { for k in 0..32 { fa[i, k] = left[i, k] } } }
    tensorize mma.load_b { for i in 0..16 { for k in 0..32 { fb[i, k] = right[i, k] } } }
    tensorize mma.sync { for i in 0..16 { for j in 0..8 { for k in 0..32 {
      sums[i, j] = sums[i, j] + i32(fa[i, k]) * i32(fb[j, k]) } } } }
    for l in 0..32 thread.x { for h in 0..2 unrolled { for n in 0..2 vectorized {
      M[w, h * 8 + floor_div(l, 4), floor_mod(l, 4) * 2 + n] =
        sums[h * 8 + floor_div(l, 4), floor_mod(l, 4) * 2 + n] } } } }
})";

/// The table without `row`.
inline Target without(std::string_view row, Target target = cpu_target()) {
  std::erase_if(target.rows, [&](const Pass& pass) { return pass.name == row; });
  return target;
}

}  // namespace vdla::passes
