// SPDX-License-Identifier: Apache-2.0
// vdla board serve: the device of this machine, or an engine, for desks elsewhere.
#include <fmt/core.h>

#include "kit/prefix.h"
#include "kit/rtl.h"
#include "support/error.h"
#include "tools/remote/device_process.h"
#include "tools/remote/library.h"
#include "tools/remote/serve.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/board/served_device.h"

namespace vdla::tools {
namespace {

struct BoardServeFlags {
  BoardDeviceFlags device;
  remote::ServeFlags serve;
};

void serve(const BoardServeFlags& f, const Context& context) {
  remote::ServeFlags flags = f.serve;
  if (flags.cache.empty()) flags.cache = cached_uploads();
  VDLA_CHECK_USER(!flags.cache.empty())
      << "no place for uploaded modules: set HOME or XDG_CACHE_HOME, or give --cache DIR";
  remote::serve(
      flags,
      {.program = "vdla board serve",
       .device =
           [&] {
             return std::make_unique<remote::DeviceProcess>(
                 [&] { return std::make_unique<ServedDevice>(f.device); });
           },
       .listen =
           [](const std::string& address, unsigned port, const remote::Certificates& certificates,
              remote::Service& service, std::string& why) {
             return remote::load_library(kit::prefix()).serve(address, port, certificates, service, why);
           },
       .begun =
           [&](const remote::Begun& begun) {
             context.report({{"address", begun.address},
                             {"encrypted", begun.encrypted},
                             {"device", begun.facts.device},
                             {"variant", begun.facts.variant},
                             {"geometry_hash", fmt::format("{:016x}", begun.facts.about.geometry_hash)}},
                            [&] { fmt::print("{}\n", begun.text()); });
           }});
}

}  // namespace

/// Beside the RTL libraries.
std::filesystem::path cached_uploads() {
  const std::filesystem::path rtl = kit::rtl_places().cache;
  return rtl.empty() ? rtl : rtl.parent_path() / "board";
}

void add_board_serve(CLI::App& group, Context& context) {
  auto f = std::make_shared<BoardServeFlags>();
  CLI::App* c = add_command(
      group, context, "serve", "Serve the device of this machine, or an engine, to remote users",
      "Desks use it by --board of vdla run and vdla eval, one at a time: who has the lease is named to "
      "others. A "
      "lease that\nis over, a cut connection and Ctrl-C on the desk end the run, and the device is reset.\n"
      "Modules are machine code, which runs here with the rights of this command: give it a user of its own. "
      "Other\n"
      "machines need a certificate of the same authority as this server's (ca.pem, server.pem and server.key "
      "in DIR):\n"
      "  vdla board certificates DIR --host board.lab     # on one machine, once\n"
      "  then ca.pem, server.pem and server.key go to the board, ca.pem, client.pem and client.key to the "
      "desk\n"
      "example: vdla board serve --engine rtl --variant tiny                           # for this machine\n"
      "         vdla board serve --uio vdla --listen 0.0.0.0 --certificates /etc/vdla  # on the board",
      [&context, f] { serve(*f, context); });
  f->device.add_to(*c);
  f->serve.add_to(*c, "default: vdla/board in the user's cache");
}

}  // namespace vdla::tools
