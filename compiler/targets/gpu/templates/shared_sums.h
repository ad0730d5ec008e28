// SPDX-License-Identifier: Apache-2.0
// Templates of long sums of which there are few: the threads of a block take the terms of a sum by turns, put
// what each has into shared memory, and add that up.
//
//   shared sums: an output for each row of threads: dense layers of few rows, means, folds, norms
//   rows:        a block for each row of the last dimension, whose reductions all stages of the function
//                share: softmax
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/knobs/space.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/gpu/profile.h"

namespace vdla::pipeline::gpu {

struct SharedSumKnobs {
  std::int64_t lanes;    ///< threads of a sum
  std::int64_t outputs;  ///< sums of a block, of neighbours in the last dimension with several

  friend bool operator==(const SharedSumKnobs&, const SharedSumKnobs&) = default;
};

struct SharedSums {
  std::int64_t outputs;    ///< all
  std::int64_t innermost;  ///< extent of the last dimension that has several
  std::int64_t terms;
  /// Whether it is a sum of bytes in memory, whose neighbouring terms are words, on a machine with dp4a.
  bool has_dots = false;
};

SharedSumKnobs shared_sums_default(const SharedSums& layer, const GpuProfile& profile);
/// Space of a machine with shared memory.
KnobSpace shared_sum_knobs(const SharedSums& layer, const GpuProfile& profile);
Point point_of(const SharedSumKnobs& knobs);
SharedSumKnobs shared_sums_at(const Point& point);
/// `output` reads `sum` at its own place, and has a dimension.
void schedule_shared_sums(schedule::Schedule& s, const expr::Tensor& output, const expr::Tensor& sum,
                          const SharedSums& layer, const SharedSumKnobs& knobs);

struct RowKnobs {
  std::int64_t lanes;  ///< threads of a row

  friend bool operator==(const RowKnobs&, const RowKnobs&) = default;
};

struct Rows {
  std::int64_t rows, columns;
};

RowKnobs rows_default(const Rows& layer, const GpuProfile& profile);
KnobSpace row_knobs(const Rows& layer, const GpuProfile& profile);
Point point_of(const RowKnobs& knobs);
RowKnobs rows_at(const Point& point);
/// Whether `stages`, those that are stored in front of `output`, have an element for each row of its last
/// dimension.
bool are_rows(const expr::Tensor& output, const std::vector<expr::Tensor>& stages);
void schedule_rows(schedule::Schedule& s, const expr::Tensor& output, const std::vector<expr::Tensor>& stages,
                   const RowKnobs& knobs);

}  // namespace vdla::pipeline::gpu
