// SPDX-License-Identifier: Apache-2.0
// vdla board reset, flash and hosts: boards elsewhere, beside what runs on them.
#include <fmt/core.h>

#include "support/error.h"
#include "tools/common/table.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/devices/host_list.h"
#include "tools/vdla/devices/remote_session.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

void call_hook(const RemoteFlags& flags, remote::Hook hook, const Context& context) {
  RemoteBoard board(flags);
  remote::HookReply reply;
  const std::string token = board.take();
  board.require(board.client().hook({token, hook}, reply, board.time_limit()));
  context.report({{"board", board.host().text()}, {"text", reply.text}},
                 [&] { fmt::print("board {}: {}\n", board.host().text(), reply.text); });
}

void add_hook(CLI::App& group, Context& context, const std::string& name, remote::Hook hook,
              const std::string& description, const std::string& footer) {
  auto flags = std::make_shared<RemoteFlags>();
  CLI::App* c = add_command(group, context, name, description, footer,
                            [flags, hook, &context] { call_hook(*flags, hook, context); });
  CLI::Option* board = c->add_option("board", flags->board, "HOST[:PORT] of a vdla board serve")->required();
  flags->add_connection(*c, board);
}

ordered_json row_of(const RemoteFlags& flags) {
  ordered_json row{{"host", flags.board}};
  try {
    const RemoteBoard board(flags);
    const remote::Facts& facts = board.facts();
    row["device"] = facts.device;
    row["variant"] = facts.variant;
    row["geometry_hash"] = fmt::format("{:016x}", facts.about.geometry_hash);
    row["holder"] = facts.holder;
    row["seconds_left"] = facts.seconds_left;
    row["can_flash"] = facts.can_flash;
  } catch (const UserError& e) {
    row["error"] = e.what();
  }
  return row;
}

std::string lease_of(const ordered_json& row) {
  if (row.contains("error")) return row["error"];
  const std::string holder = row["holder"];
  return holder.empty()
             ? "free"
             : fmt::format("leased to {} for {} s at most", holder, row["seconds_left"].get<unsigned>());
}

void list_hosts(const std::string& file, const Context& context) {
  ordered_json rows = ordered_json::array();
  for (const RemoteFlags& flags : read_hosts(file)) rows.push_back(row_of(flags));
  context.report({{"boards", rows}}, [&] {
    print_table(with_column(rows, "state", lease_of), "host|geometry|variant|device|state",
                "{host:<24+} {geometry_hash:<16} {variant:<10+} {device:<16+} {state}");
  });
}

}  // namespace

void add_board_hooks(CLI::App& group, Context& context) {
  add_hook(group, context, "reset", remote::Hook::Reset, "Reset the device of a remote board",
           "Runs the command that its owner gave vdla board serve --reset-command, if any, then probes and "
           "resets the "
           "device.\nexample: vdla board reset board.lab --certificates lab");
  add_hook(
      group, context, "flash", remote::Hook::Flash, "Configure the FPGA of a remote board again",
      "Runs the command that its owner gave vdla board serve --flash-command, then probes and resets the "
      "device.\nexample: vdla board flash board.lab --certificates lab");
}

void add_board_hosts(CLI::App& group, Context& context) {
  auto file = std::make_shared<std::string>();
  CLI::App* c = add_command(
      group, context, "hosts", "List remote boards with geometry and present user",
      "FILE is {\"boards\": [{\"host\": \"board.lab:50551\", \"certificates\": \"lab\"}]}; folders of "
      "certificates are "
      "named from\nwhere it lies, and left out for this machine. A board that does not answer says why.\n"
      "example: vdla board hosts lab.json",
      [file, &context] { list_hosts(*file, context); });
  c->add_option("file", *file, "JSON file with the boards")->required()->check(CLI::ExistingFile);
}

}  // namespace vdla::tools
