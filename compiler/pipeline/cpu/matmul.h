// SPDX-License-Identifier: Apache-2.0
// The schedule template of F32 matrix products on a CPU: C[m][n] = sum_k A[m][k] * B[k][n] (+ bias[n]).
//
// B is read as panels [N/nb][K][nb]. A constant B (dense layers) is packed when the network is compiled; else
// the function packs it, once. Tiles of rows_tile x panel stay in registers over all of K. A is packed in
// bands of rows, each of which stays in the second-level cache while all panels run over it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/pipeline/cpu/profile.h"
#include "compiler/schedule/schedule.h"

namespace vdla::pipeline::cpu {

struct Matmul {
  std::int64_t m, n, k;
  bool constant_b = false;  ///< B comes packed
  bool bias = false, relu = false;
};

struct MatmulKnobs {
  std::int64_t panel;  ///< columns of a panel, a multiple of the lanes
  std::int64_t lanes;
  std::int64_t row_tile;  ///< rows in registers
  std::int64_t row_band;  ///< rows that run over one panel before the next

  friend bool operator==(const MatmulKnobs&, const MatmulKnobs&) = default;
};

std::vector<MatmulKnobs> matmul_space(const Matmul& matmul, const CpuProfile& profile);
MatmulKnobs matmul_default(const Matmul& matmul, const CpuProfile& profile);

/// Parameters: A, B (packed where it is constant), bias (where there is one), C.
loop::Func matmul(const Matmul& matmul, const MatmulKnobs& knobs, const std::string& name);

/// A product of `rows` rows with `panels` panels of `width` columns.
struct Panels {
  std::int64_t rows, depth, panels, width;
};

struct PanelKnobs {
  std::int64_t row_tile;      ///< rows in registers; need not divide the rows
  bool rows_outside = false;  ///< all panels for a tile of rows, else all rows for a panel
  std::int64_t step = 1;      ///< terms of the sums written out beside each other, a divisor of the depth
  bool share_rows = false;    ///< whether threads share tiles of rows, else panels

  friend bool operator==(const PanelKnobs&, const PanelKnobs&) = default;
};

/// As many rows as registers hold.
PanelKnobs panels_default(const Panels& product, const CpuProfile& profile);
/// Cycles, roughly.
double panels_cost(const Panels& product, const PanelKnobs& knobs, const CpuProfile& profile);

/// Schedules an `output` that is elementwise over `sum`, the sums of a graph::MatMulPanels.
void schedule_panels(schedule::Schedule& schedule, const expr::Tensor& output, const expr::Tensor& sum,
                     const PanelKnobs& knobs, const CpuProfile& profile, bool parallel);

/// B [K][N] as panels; columns beyond the last are zero.
std::vector<float> pack_panels(const Matmul& matmul, const MatmulKnobs& knobs, std::span<const float> b);

}  // namespace vdla::pipeline::cpu
