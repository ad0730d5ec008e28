// SPDX-License-Identifier: Apache-2.0
// A task: one call with the perfect nest of loops around it, still symbolic in the loops outside. Under
// concrete values of those it becomes NestInstances, from which compute.h and dma.h make instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/codegen/vdla/index.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen {

struct FoldedLoop {
  expr::VarPtr var;  ///< null for a dimension of a copy's region
  Index min, extent;
};

struct FoldedOperand {
  expr::BufferPtr buffer;
  Index base;                         ///< base in elements, every loop of the task at 0
  std::vector<std::int64_t> strides;  ///< strides in elements, per loop
};

/// Bound of a nest: where base + sum(coefficients * loops) < 0, nothing happens, or a load fills in its pad
/// value.
struct FoldedBound {
  Index base;
  std::vector<std::int64_t> coefficients;
  bool pads;
};

struct FoldedNest {
  const loop::IntrinsicCall* call = nullptr;
  const intrinsics::Intrinsic* intrinsic = nullptr;  ///< null: a copy
  std::vector<FoldedLoop> loops;                     ///< outermost first
  std::vector<FoldedOperand> operands;               ///< the output first
  std::vector<FoldedBound> bounds;
  std::vector<expr::ExprPtr> reset;  ///< terms over the loops outside; all must hold
  std::vector<bool> reduces;         ///< per loop: the reset needs it to be 0
  std::string text;                  ///< the loops, for the source map

  bool resets() const { return intrinsic == nullptr || call->reset != nullptr || !intrinsic->accumulates; }
};

/// Takes the loops and ifs of a perfect nest around one call, as many from the inside as can be folded;
/// `outside` receives the others, outermost first. Nothing when `nest` is no such nest.
std::optional<FoldedNest> fold_nest(const loop::StmtPtr& nest, std::span<const intrinsics::Intrinsic> table,
                                    Environment& environment, std::vector<const loop::Stmt*>& outside);

/// One loop that is left of a nest.
struct Dim {
  std::int64_t count;
  std::vector<std::int64_t> strides;  ///< per operand, in elements
  std::vector<std::int64_t> bounds;   ///< coefficient per bound
  bool reduce = false;
};

struct Bound {
  std::int64_t base;
  bool pads;
};

/// A task under concrete outer loops.
struct NestInstance {
  std::vector<Dim> dims;            ///< outermost first
  std::vector<std::int64_t> bases;  ///< per operand, in elements
  std::vector<Bound> bounds;
  bool init = false;  ///< whether the destination is overwritten where all reduce dims are 0

  std::int64_t steps() const;
};

NestInstance instantiate(const FoldedNest& task, const Environment& environment);

/// Clips dims to the bounds that do not pad, drops bounds that always hold, dims of one iteration, and merges
/// dims that count on. False when nothing is left to do. A bound over several dims that cannot be merged
/// stays.
bool normalize(NestInstance& nest);

/// The instance with `count` iterations of dim `d` from `first` on, not normalized.
NestInstance part(const NestInstance& nest, std::size_t d, std::int64_t first, std::int64_t count);

/// The instance with dim `d` fixed at `i`, not normalized.
NestInstance fix(const NestInstance& nest, std::size_t d, std::int64_t i);

/// Bounds that do not pad and are still there: their outermost dim must be split, into a nest for each of its
/// iterations.
std::optional<std::size_t> dim_to_split(const NestInstance& nest);

}  // namespace vdla::codegen
