// SPDX-License-Identifier: Apache-2.0
// Sums of products of bytes of which four terms are a word of each operand: dp4a takes these
// (compiler/intrinsics/thread.h).
#pragma once

#include "compiler/schedule/schedule.h"

namespace vdla::pipeline::gpu {

/// Whether the sums of a stage are such along one of its reduce axes, the only one in the last dimension of
/// both operands.
bool are_dots(const schedule::Stage& stage, const expr::IterVar& terms);

/// Whether they are along the only reduce axis, of operands that are memory.
bool are_dots_of_memory(const schedule::Stage& stage);

/// A tensor that is memory with a border around it, which does not cut its last dimension: copies of that
/// dimension's elements need one condition.
bool is_bordered(const expr::Tensor& tensor);

}  // namespace vdla::pipeline::gpu
