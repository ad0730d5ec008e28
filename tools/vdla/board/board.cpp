// SPDX-License-Identifier: Apache-2.0
// vdla board: what the kit knows of boards, and what is done with one.
#include "tools/vdla/board/board.h"

namespace vdla::tools {

void add_board(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("board", "Work with boards: generate, bring up, test, serve");
  group->footer(
      "A board is a folder with a board.json (boards/README.md describes it): one of the kit's by name, or "
      "one's own by "
      "path.\n"
      "example: vdla board list\n"
      "         vdla board info pynq-z2");
  group->require_subcommand(1);
  add_board_list(*group, context);
  add_board_info(*group, context);
  add_board_generate(*group, context);
  add_board_install(*group, context);
  add_board_bandwidth(*group, context);
  add_board_counters(*group, context);
  add_board_ila(*group, context);
  add_board_irq(*group, context);
  add_board_mem(*group, context);
  add_board_postmortem(*group, context);
  add_board_regs(*group, context);
  add_board_run(*group, context);
  add_board_selftest(*group, context);
  add_board_serve(*group, context);
  add_board_certificates(*group, context);
  add_board_hosts(*group, context);
  add_board_hooks(*group, context);
}

}  // namespace vdla::tools
