// SPDX-License-Identifier: Apache-2.0
// The template of everything whose elements do not share work: a thread for each element, or for a few of
// them, over all dimensions as one. Elementwise operators, what moves elements, pooling, and whatever has no
// template of its own: each stage that is stored is a kernel then.
#pragma once

#include <cstdint>

#include "compiler/knobs/space.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/gpu/profile.h"

namespace vdla::pipeline::gpu {

struct FlatKnobs {
  std::int64_t threads;       ///< threads of a block
  std::int64_t elements = 1;  ///< elements of a thread, as many elements apart as a block has threads
  std::int64_t vector = 1;    ///< neighbours of which a thread has all; 1 where there is a reduction

  friend bool operator==(const FlatKnobs&, const FlatKnobs&) = default;
};

/// Layer as the template sees it.
struct Flat {
  std::int64_t elements;
  std::int64_t terms = 1;  ///< terms of a sum
};

FlatKnobs flat_default(const Flat& layer, const GpuProfile& profile);
KnobSpace flat_knobs(const Flat& layer, const GpuProfile& profile);
Point point_of(const FlatKnobs& knobs);
FlatKnobs flat_at(const Point& point);

/// Schedules `tensor`; an element of `sum` is computed where the element of `tensor` that reads it is: one
/// at the same place. Undefined: there is none. A reduction of `tensor` itself is summed up in registers.
void schedule_flat(schedule::Schedule& s, const expr::Tensor& tensor, const expr::Tensor& sum,
                   const FlatKnobs& knobs);

}  // namespace vdla::pipeline::gpu
