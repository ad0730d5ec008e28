// SPDX-License-Identifier: Apache-2.0
#include "sim/host/xrt_host.h"
#include "support/error.h"

namespace vdla::sim {

HostOutcome run_xrt_host(const boards::Board& board, const XrtHost&, const EngineOverMemory&,
                         const HostOptions&) {
  throw UserError(
      "board " + board.name +
      " is XRT's emulation, and this kit was built without what it takes; install packages libxrt-dev, "
      "libzip-dev and libprotobuf-dev, and build the kit again");
}

}  // namespace vdla::sim
