// SPDX-License-Identifier: Apache-2.0
// The commands of `vdla board`: one function each, which adds the command to the group. board.cpp lists them.
#pragma once

#include <filesystem>

#include "tools/vdla/common/command.h"

namespace vdla::tools {

void add_board_bandwidth(CLI::App& board, Context& context);
void add_board_certificates(CLI::App& board, Context& context);
void add_board_counters(CLI::App& board, Context& context);
void add_board_generate(CLI::App& board, Context& context);
void add_board_hooks(CLI::App& board, Context& context);
void add_board_hosts(CLI::App& board, Context& context);
void add_board_info(CLI::App& board, Context& context);
void add_board_install(CLI::App& board, Context& context);
void add_board_ila(CLI::App& board, Context& context);
void add_board_irq(CLI::App& board, Context& context);
void add_board_list(CLI::App& board, Context& context);
void add_board_mem(CLI::App& board, Context& context);
void add_board_postmortem(CLI::App& board, Context& context);
void add_board_regs(CLI::App& board, Context& context);
void add_board_run(CLI::App& board, Context& context);
void add_board_selftest(CLI::App& board, Context& context);
void add_board_serve(CLI::App& board, Context& context);

/// Path at which boards/linux/get_kernel.sh puts the kernel of board qemu-pci's guest, in the user's cache;
/// empty: there is none.
std::filesystem::path cached_guest_kernel();
/// Folder in which vdla board serve keeps modules unless it is told otherwise; empty: there is no such place.
std::filesystem::path cached_uploads();

}  // namespace vdla::tools
