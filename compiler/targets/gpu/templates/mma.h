// SPDX-License-Identifier: Apache-2.0
// The template of products by tensor cores (compiler/grid/warp.h): a block computes a tile of rows and
// columns, each of its warps a part of the tile, whose sums its lanes have in registers. Threads fetch both
// operands into shared memory together, some terms at a time; warps load fragments of these, and multiply.
// What is fused behind runs where the sums are.
//
// It takes products whose operands have their terms beside each other in memory, of types that tensor cores
// take, where everything divides: rows and columns by tiles, terms by operations. Others are left to `tiles`.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/knobs/space.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/gpu/profile.h"
#include "compiler/targets/gpu/templates/tiles.h"

namespace vdla::pipeline::gpu {

/// Product as the template sees it.
struct Mma {
  std::int64_t rows = 1, columns = 1, terms = 1;
  std::int64_t outer = 1;              ///< matrices
  expr::DType type = expr::DType::I8;  ///< type of the operands
  std::int64_t bytes() const { return expr::bytes(type); }
};

struct MmaKnobs {
  std::int64_t rows = 16, columns = 16;           ///< sums of a warp
  std::int64_t warps_down = 1, warps_across = 1;  ///< warps of a block
  std::int64_t steps = 1;                         ///< operations along the terms of what is fetched at once
  std::int64_t stages =
      1;            ///< 2 to 4: the next terms are fetched while these are used, up to three fetches ahead
  bool pad = true;  ///< rows in shared memory begin in other banks

  std::int64_t warps() const { return warps_down * warps_across; }
  friend bool operator==(const MmaKnobs&, const MmaKnobs&) = default;
};

/// Nothing where the sum is no such product, or no knobs fit it.
std::optional<Mma> mma_of(const expr::Tensor& sum, const schedule::Stage& stage, const TileDims& dims,
                          const GpuProfile& profile);
MmaKnobs mma_default(const Mma& layer, const GpuProfile& profile);
KnobSpace mma_knobs(const Mma& layer, const GpuProfile& profile);
Point point_of(const MmaKnobs& knobs);
MmaKnobs mma_at(const Point& point);

/// Schedules an `output` that reads `sum` at its own place.
void schedule_mma(schedule::Schedule& s, const expr::Tensor& output, const expr::Tensor& sum,
                  const TileDims& dims, const Mma& layer, const MmaKnobs& knobs);

}  // namespace vdla::pipeline::gpu
