// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/board/counters_text.h"

#include <fmt/format.h>

#include "isa/spec/insn.h"

namespace vdla::tools {

std::string counters_text(const vdla_counters& c) {
  const bool timed = c.cycles != 0;
  std::string text =
      fmt::format("{}{} bytes read, {} written", timed ? fmt::format("{} cycles, ", c.cycles) : "",
                  c.read_bytes, c.write_bytes);
  for (unsigned u = 0; timed && u < isa::kQueueUnits; ++u)
    text += fmt::format("\n  {:<8} {:>10} cycles busy ({:>5.1f} %), {:>10} waiting for tokens ({:>5.1f} %)",
                        isa::to_string(static_cast<isa::Unit>(u)), c.busy[u],
                        100.0 * c.busy[u] / static_cast<double>(c.cycles), c.token_stall[u],
                        100.0 * c.token_stall[u] / static_cast<double>(c.cycles));
  return text;
}

nlohmann::ordered_json counters_json(const vdla_counters& c) {
  const bool timed = c.cycles != 0;
  nlohmann::ordered_json out;
  if (timed) out["cycles"] = c.cycles;
  out["read_bytes"] = c.read_bytes;
  out["write_bytes"] = c.write_bytes;
  for (unsigned u = 0; timed && u < isa::kQueueUnits; ++u)
    out["units"].push_back({{"unit", isa::to_string(static_cast<isa::Unit>(u))},
                            {"busy", c.busy[u]},
                            {"token_stall", c.token_stall[u]}});
  return out;
}

}  // namespace vdla::tools
