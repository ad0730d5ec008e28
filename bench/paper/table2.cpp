// SPDX-License-Identifier: Apache-2.0
// Table 2: each layer alone on the device.
#include <algorithm>
#include <cmath>

#include "bench/paper/experiments.h"
#include "bench/paper/single_layers.h"
#include "isa/variants/variants.h"

namespace vdla::bench::paper {

Report table2(const Settings& settings) {
  const isa::Geometry g = isa::load_variant("paper").geometry;
  Report report;
  Table table{"Layers of Table 2 on variant paper, each alone on an idle machine",
              {{"layer", "layer"},
               {"paper_id", "paper's id"},
               {"paper_mmac", "MMAC, paper", 2},
               {"mmac", "MMAC, ours", 2},
               {"a9_ms", "A9 tuned, ms", 2},
               {"cycles", "ours, cycles", 0},
               {"ms_at_100mhz", "ms at 100 MHz", 3},
               {"multipliers_percent", "% of multipliers"}},
              {}};
  double difference = 0;
  for (const Workload& w : table2()) {
    const LayerRun run = measure_single(w.shape, w.depthwise, settings.engine);
    const double multipliers = w.depthwise ? g.vector_lanes() : g.macs();
    table.rows.push_back({name_of(w), w.id, w.mmac, run.mmac, w.a9_ms ? Cell(*w.a9_ms) : Cell(), run.hidden,
                          run.hidden / 1e5, 100 * 1e6 * run.mmac / multipliers / run.hidden});
    // Half of the table's last digit.
    const double rounding = w.depthwise ? 0.005 : 0.05;
    difference = std::max(difference, std::abs(run.mmac - w.mmac) - rounding);
  }
  report.tables.push_back(table);
  report.claims.push_back({"largest difference from Table 2's multiply-accumulates, its rounding aside, M", 0,
                           difference, false});
  report.conditions = {
      "Ours: int8 with per-channel requantisation, cycles from start to done, latency hiding on, engine " +
          settings.engine + ", DRAM of variant paper (8 bytes a cycle, latency 48).",
      "Multipliers: the array's 256, of depthwise layers the vector unit's 16.",
      "A9: Cortex-A9 of a Pynq board, TVM's tuned code as TopHub's vta_v0.01.log records it, int8; depthwise "
      "F32.",
      "The host packs the taps of the first layer (224x224) into the lanes; that is not counted."};
  report.not_comparable = {
      "The table gives the layers alone. The paper's times for them (Figures 15 and 17) are from a GPU and a "
      "Cortex-A53.",
      "TopHub's A9 times are of TVM at that date; some of its int8 rows equal F32 rows to the digit.",
      "Layers are named by shape: the figures' data and VTA's tests number the same layers differently."};
  return report;
}

}  // namespace vdla::bench::paper
