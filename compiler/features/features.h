// SPDX-License-Identifier: Apache-2.0
// Features of a lowered candidate for a cost model, as in the TVM paper: for each loop, how often it runs,
// how it is annotated, what stands in it, and for each buffer that is touched inside, how much, how often and
// in which stride.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::features {

/// One buffer inside of one loop.
struct BufferTouch {
  expr::BufferPtr buffer;
  double accesses = 0;  ///< loads and stores while the loop runs once from its first iteration to its last
  double touched_bytes = 0;  ///< distinct bytes among them: by bounds of the indices, so at most too large
  double reuse = 0;          ///< accesses per distinct element
  std::int64_t stride = 0;   ///< elements between iterations; of several accesses the largest
  bool loads = false, stores = false;
};

struct LoopFeatures {
  std::string name;
  loop::ForKind kind = loop::ForKind::Serial;
  std::size_t depth = 0;  ///< loops around it
  double extent = 0;      ///< iterations of one run; bounded where it is not constant
  double runs = 1;        ///< how often the loop as a whole is run: the product of the loops around
  double float_ops = 0, int_ops = 0;  ///< arithmetic on data in one iteration, loops inside included
  std::vector<BufferTouch> buffers;   ///< buffers in order of first appearance
};

/// Loops in the order of the text, outer ones first.
std::vector<LoopFeatures> extract(const loop::Func& func);

/// A row of numbers for a learner, equally long for every loop: logarithms of the loop's figures, the
/// annotation one-hot, and the `most` buffers with the most touched bytes.
std::vector<float> to_row(const LoopFeatures& loop, std::size_t most = 4);

}  // namespace vdla::features
