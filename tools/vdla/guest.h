// SPDX-License-Identifier: Apache-2.0
// The Linux guest of board qemu-pci as the commands start it.
#pragma once

#include <filesystem>
#include <string>

#include "sim/host/linux_guest.h"
#include "tools/vdla/command.h"

namespace vdla::tools {

/// A guest without a program: its kernel is in `kernel`, or where that is empty in the user's cache.
/// UserError where neither says a folder.
sim::LinuxGuest guest_without_program(const std::filesystem::path& kernel);

/// This command is the guest's program; its arguments follow those that are there then. UserError where it
/// was linked without shared libraries.
void run_vdla_in(sim::LinuxGuest& guest, const Context& context);

/// --kernel of a command that starts guests.
void add_kernel_option(CLI::App& command, std::string& kernel);

}  // namespace vdla::tools
