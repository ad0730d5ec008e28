// SPDX-License-Identifier: Apache-2.0
// A layer of Table 2 as a network of its own, through the whole compiler, on an idle machine.
#pragma once

#include "bench/paper/published.h"
#include "bench/validation/network_cycles.h"

namespace vdla::bench::paper {

/// int8 convolution, "same" padding, weights all zero: no cycle depends on values.
graph::Graph layer_graph(const ConvShape& shape, bool depthwise);

struct LayerRun {
  double mmac = 0;
  double ideal = 0, hidden = 0, exposed = 0;  ///< cycles from start to done; exposed: no latency hiding
  double bytes = 0;                           ///< to and from DRAM, instructions and micro-ops included

  double ops_per_byte() const { return 2e6 * mmac / bytes; }
};
LayerRun measure_single(const ConvShape& shape, bool depthwise, const std::string& engine);

}  // namespace vdla::bench::paper
