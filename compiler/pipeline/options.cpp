// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/options.h"

#include <fmt/format.h>

namespace vdla::pipeline {

std::string target_of(const isa::Variant& variant) {
  const isa::Geometry& g = variant.geometry;
  const isa::Timing& t = variant.timing;
  return fmt::format(
      "{}x{}x{} inp {} wgt {} acc {} out {} par {} uop {} queue {} token {}, DRAM latency {} outstanding {} "
      "burst {} bytes per cycle {}",
      g.batch, g.block_in, g.block_out, g.inp_depth, g.wgt_depth, g.acc_depth, g.out_depth, g.par_depth,
      g.uop_depth, g.queue_depth, g.token_depth, t.dram_latency, t.dram_outstanding, t.dram_burst_bytes,
      t.dram_bytes_per_cycle);
}

KeptOff kept_off(const CompileOptions& options) {
  KeptOff result = options.as_before;
  for (const std::string& node : options.on_cpu) result[node] = "placed there on request";
  return result;
}

}  // namespace vdla::pipeline
