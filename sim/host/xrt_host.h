// SPDX-License-Identifier: Apache-2.0
// A program over XRT with an engine as its card: XRT's own emulation (hw_emu) runs in the program, and this
// process is the simulator that the emulation talks to (XrtDevice).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/host/host_run.h"

namespace vdla::sim {

struct XrtHost {
  std::filesystem::path libraries;  ///< the folder of libxrt_core.so and libxrt_hwemu.so
  /// The program with its arguments, for a card and its configuration: "0:/tmp/.../vdla.xclbin".
  std::function<std::vector<std::string>(const std::string& card)> command;
};

/// Runs the program to its end. UserError for a board that is no emulated card, an XRT that is missing, a
/// program that does not end in time (with what the card has seen).
HostOutcome run_xrt_host(const boards::Board& board, const XrtHost& host, const EngineOverMemory& make_engine,
                         const HostOptions& options);

}  // namespace vdla::sim
