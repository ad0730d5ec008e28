// SPDX-License-Identifier: Apache-2.0
// Irregularities of the machine's surroundings and handshakes. Results must not depend on it, cycles do.
// Chances are in 256ths per cycle.
#pragma once

#include <cstdint>

namespace vdla::sim {

struct Disturbance {
  std::uint64_t seed = 0;
  unsigned bus = 0;      ///< each AXI channel: its ready or valid is held back
  unsigned latency = 0;  ///< most cycles more until the first data of a read, drawn for each burst
  unsigned inside = 0;   ///< handshakes inside the machine are held back; needs a library that checks

  bool any() const { return bus != 0 || latency != 0 || inside != 0; }
};

}  // namespace vdla::sim
