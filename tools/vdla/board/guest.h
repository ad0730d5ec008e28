// SPDX-License-Identifier: Apache-2.0
// The Linux guest of board qemu-pci as the commands start it.
#pragma once

#include <filesystem>
#include <string>

#include "sim/host/linux_guest.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

/// A guest with neither a kernel nor a program.
sim::LinuxGuest bare_guest();

/// The folder of the guest's kernel: `named`, or where that is empty the user's cache. A cache without it
/// gets it by boards/linux/get_kernel.sh, which is said first. UserError where there is no cache, where
/// the script fails, and where others may have written what is in the cache.
std::filesystem::path guest_kernel(const std::filesystem::path& named, const Context& context);

/// This command is the guest's program; its arguments follow those that are there then. UserError where it
/// was linked without shared libraries.
void run_vdla_in(sim::LinuxGuest& guest, const Context& context);

/// --kernel of a command that starts guests.
void add_kernel_option(CLI::App& command, std::string& kernel);

}  // namespace vdla::tools
