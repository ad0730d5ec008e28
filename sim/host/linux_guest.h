// SPDX-License-Identifier: Apache-2.0
// A program under Linux on a PC that QEMU simulates, with an engine as a PCI device (PciDevice) and the kit's
// UIO module. The kernel is Debian's, which boards/linux/get_kernel.sh gets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/host/host_run.h"

namespace vdla::sim {

struct LinuxGuest {
  std::filesystem::path kernel;  ///< folder with vmlinuz, uio.ko and vdla_uio.ko
  std::filesystem::path init;    ///< the program that starts the guest (boards/linux/init.c)
  std::filesystem::path program;
  std::vector<std::string> arguments;        ///< arguments of the program
  std::vector<std::filesystem::path> files;  ///< files that it finds by their names in its folder
};

/// Returns the paths of all that LinuxGuest::kernel needs in a folder.
std::vector<std::filesystem::path> guest_kernel_files(const std::filesystem::path& folder);

/// Whether the folder has all that LinuxGuest::kernel needs.
bool has_guest_kernel(const std::filesystem::path& folder);

/// Runs the program, linked statically for x86-64, to its end. UserError for a board that is no PCI device on
/// a machine of QEMU, for files that are missing, a QEMU that is missing or does not start, a guest that does
/// not come up or does not end in time (with the last that its kernel said).
HostOutcome run_linux_guest(const boards::Board& board, const LinuxGuest& guest,
                            const EngineOverMemory& make_engine, const HostOptions& options);

}  // namespace vdla::sim
