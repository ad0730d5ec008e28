// SPDX-License-Identifier: Apache-2.0
// The schedule template of F32 matrix products on a CPU by a constant, which is packed when the network is
// compiled: panels [N/nb][K][nb] of it. Tiles of rows x panel stay in registers over all of K.
#pragma once

#include <cstdint>

#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/profile.h"

namespace vdla::pipeline::cpu {

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

}  // namespace vdla::pipeline::cpu
