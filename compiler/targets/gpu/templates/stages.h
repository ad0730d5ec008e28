// SPDX-License-Identifier: Apache-2.0
// Questions of templates about the stages of a function before they schedule it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/grid/thread.h"
#include "compiler/schedule/schedule.h"

namespace vdla::pipeline::gpu {

std::int64_t elements_of(const expr::Tensor& tensor);
/// Terms that are added up for each element of a sum; 1 for a stage without a reduction.
std::int64_t terms_of(const schedule::Stage& stage);

/// The two factors of each term of a stage, elements of two tensors cast to the type of the sum or rounded to
/// tf32, less a zero point of 0. Nothing where the stage is no such sum.
std::optional<std::pair<const expr::Read*, const expr::Read*>> factors_of(const schedule::Stage& stage);

/// Puts stages without a reduction into their readers where that computes no element much more often: results
/// of fused nodes, what one stage alone reads, padding in front of a reduction. `results` are those of the
/// nodes, `kept` what is stored in any case.
void inline_stages(schedule::Schedule& s, const expr::Tensor& output,
                   const std::vector<expr::Tensor>& results, const std::vector<expr::Tensor>& kept = {});

/// Stages that keep storage, producers first, without `output`.
std::vector<expr::Tensor> stored_stages(const schedule::Schedule& s, const expr::Tensor& output);

/// Each element of `reader` reads, itself or through stages inside of it, the element of `tensor` at its own
/// place and no other. Both have one shape.
bool reads_own_place(const schedule::Schedule& s, const expr::Tensor& reader, const expr::Tensor& tensor);

/// All dimensions as one loop.
expr::IterVar fuse_all(schedule::Stage& stage);
/// The named loops, which follow each other, as one.
expr::IterVar fuse_all(schedule::Stage& stage, const std::vector<expr::IterVar>& axes);

/// Threads of a block, along x, y and z.
using Threads = std::array<std::int64_t, 3>;
/// Shares the innermost loop of a stage, of `pieces` pieces: the threads of a block take them in turn,
/// neighbours together. The rest of each is written out where it is no more than `most`.
void share_among_threads(schedule::Stage& stage, expr::IterVar loop, std::int64_t pieces,
                         const Threads& threads, std::int64_t most);

}  // namespace vdla::pipeline::gpu
