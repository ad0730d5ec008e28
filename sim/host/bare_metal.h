// SPDX-License-Identifier: Apache-2.0
// A program without operating system on a board that QEMU simulates, with an engine as the accelerator in its
// programmable logic. The processor stops before each access to the accelerator's registers (GdbStub), which
// happens on the engine then; its interrupt is a line of QEMU's interrupt controller (QtestLine); the board's
// memory is shared, so that the engine reads and writes it in place.
#pragma once

#include <filesystem>

#include "sim/host/host_run.h"

namespace vdla::sim {

/// Runs `firmware` (ELF) to its end. UserError for a board without a machine of QEMU and an Arm processor, a
/// QEMU that is missing or does not start, an access that is not understood (with instruction and address), a
/// program that does not end in time (with where it is).
HostOutcome run_bare_metal(const boards::Board& board, const std::filesystem::path& firmware,
                           const EngineOverMemory& make_engine, const HostOptions& options);

}  // namespace vdla::sim
