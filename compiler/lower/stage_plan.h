// SPDX-License-Identifier: Apache-2.0
// Results of bound inference for each stage that keeps storage: the region that it computes, its loops and
// their extents, the values of its axes in terms of the loops, and the conditions under which an iteration
// exists.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/expr/affine.h"
#include "compiler/expr/visit.h"
#include "compiler/loop/stmt.h"
#include "compiler/schedule/schedule.h"

namespace vdla::lower {

struct Loop {
  expr::IterVar axis;  ///< the leaf of the schedule
  expr::VarPtr var;    ///< runs over [0, extent)
  std::int64_t extent;
};

struct StagePlan;

/// One of the sides on which a stage stores padding.
struct PaddingSide {
  expr::ExprPtr inside;  ///< condition in the stage's axes; the side is where it does not hold
  bool stays = false;    ///< whether it stays in the places of a rolling buffer, once it is stored in each
};

/// Padding that a stage stores around another one, which lies in its middle: where all sides' conditions
/// hold.
struct Padding {
  StagePlan* inner;                 ///< stage in the middle
  std::vector<std::int64_t> shift;  ///< its index less that of the padded stage, by dimension
  std::vector<PaddingSide> sides;
  expr::ExprPtr value;  ///< null where there are no sides
};

/// A buffer outside of all loops with a region for each of `places` iterations, which follow each other.
struct Rolling {
  std::int64_t places;
  expr::ExprPtr iteration;  ///< number of the iteration of the loops around the stage, from 0
};

struct StagePlan {
  const schedule::Stage* stage = nullptr;
  schedule::Compute compute;      ///< with inlined stages in its body
  StagePlan* consumer = nullptr;  ///< stage at which it is computed, null for the root
  std::size_t depth = 0;          ///< index of the consumer's loop
  std::vector<expr::Affine> min;  ///< first index of the region, per dimension, in loops outside of the stage
  std::vector<std::int64_t> extent;
  std::vector<Loop> loops;
  expr::Substitution axis_values;  ///< each original axis, as an index of the tensor
  std::vector<expr::ExprPtr>
      local_indices;  ///< indices of the buffer, relative to the origin, spatial axes only
  std::vector<expr::ExprPtr> spatial_guards, guards;  ///< guards: all, the spatial ones included
  std::vector<expr::ExprPtr> split_guards;  ///< guards of uneven splits, which are no matter of regions
  std::vector<expr::BufferPtr> buffers;     ///< one for each tensor that the stage computes
  std::vector<expr::Affine> origin;         ///< index of the buffers' first element, like min
  bool has_own_storage = true;              ///< or lies in the buffer of another stage
  std::optional<Padding> padding;           ///< padding of a stage that pads in place
  std::optional<Rolling> rolling;           ///< dimension 0 of its buffer is the place
  const StagePlan* scan = nullptr;          ///< the recurrence whose states it depends on, or null
};

/// The loops around the place where `p` is computed, outermost first.
std::vector<const Loop*> loops_around(const StagePlan& p);
/// The stages around `p`, outermost first, then `p`.
std::vector<const StagePlan*> nest_of(const StagePlan& p);

/// Index lists of the reads of `tensor` in the body of `reader`, in its loop variables.
std::vector<std::vector<expr::ExprPtr>> reads_of(const StagePlan& reader, const expr::Tensor& tensor);

struct Plan {
  std::vector<std::unique_ptr<StagePlan>> stages;  ///< producers first
  expr::Ranges ranges;                             ///< ranges of every loop variable
  const StagePlan* find(const expr::Tensor& tensor) const;
  /// The recurrence that a placeholder is a state of, and which one; null for any other tensor.
  std::pair<const StagePlan*, std::size_t> find_state(const expr::Tensor& tensor) const;
};

}  // namespace vdla::lower
