// SPDX-License-Identifier: Apache-2.0
// A function whose sums are dot products of four, as a tiled layer has them: in a buffer that becomes
// registers.
#pragma once

#include <fmt/format.h>

#include <string>

namespace vdla::codegen {

/// `type` is u8 or i8; vectors of `lanes` sums.
inline std::string dot_kernel(const std::string& name, const std::string& type, int lanes) {
  return fmt::format(R"(func {0}(in a: {1}[5, 3, 36], in w: i8[2, 9, {2}, 4], out c: i32[5, 3, {3}]) {{
  for y in 0..5 {{
    alloc acc: i32[3, 2, {2}]
    for x in 0..3 unrolled {{ for v in 0..2 unrolled {{ for n in 0..{2} vectorized {{ acc[x, v, n] = 0i32 }} }} }}
    for r in 0..9 {{
      for x in 0..3 unrolled {{ for v in 0..2 unrolled {{
        tensorize dot4 {{
          for n in 0..{2} vectorized {{ for k in 0..4 {{
            acc[x, v, n] = acc[x, v, n] + i32(a[y, x, r * 4 + k]) * i32(w[v, r, n, k]) }} }}
        }}
      }} }}
    }}
    for x in 0..3 unrolled {{ for v in 0..2 unrolled {{ for n in 0..{2} vectorized {{
      c[y, x, v * {2} + n] = acc[x, v, n] }} }} }}
  }}
}}
)",
                     name, type, lanes, 2 * lanes);
}

}  // namespace vdla::codegen
