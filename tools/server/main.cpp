// SPDX-License-Identifier: Apache-2.0
// `vdla-board-server`: what vdla board serve does, in one static program for a board, with the board's own
// device or the functional engine. Exit statuses are those of `vdla`.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "isa/variants/variants.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "tools/common/standard_output.h"
#include "tools/common/uio_flags.h"
#include "tools/remote/device_process.h"
#include "tools/remote/grpc/parts.h"
#include "tools/remote/serve.h"
#include "tools/server/served_board.h"

namespace vdla::server {
namespace {

struct Flags {
  std::string engine;
  tools::UioFlags uio{{.udmabuf = "", .root = "", .reset_by_signals = true}};
  std::string variant = "tiny";
  remote::ServeFlags serve;
  bool json = false;
};

void add_flags(CLI::App& app, Flags& f) {
  app.footer(
      "Desks use it by --board of vdla run, eval and board, one at a time. Modules are machine code, which "
      "runs with\n"
      "the rights of this program: give it a user of its own.\n"
      "example: vdla-board-server --cache /var/cache/vdla --listen 0.0.0.0 --certificates /etc/vdla  # on "
      "the board\n"
      "         vdla run net.vdla --board board.lab --certificates lab --input image.png             # at "
      "the desk\n"
      "Exit status 0: done; 1: the device or a file is at fault; 2: wrong flags; 3: a fault of the kit "
      "itself.");
  app.set_version_flag("--version", "vdla-board-server " VDLA_VERSION);
  CLI::Option* engine = app.add_option("--engine", f.engine,
                                       "functional: no accelerator, this processor computes what it would")
                            ->check(CLI::IsMember({"functional"}));
  f.uio.add_to(app);
  app.get_option("--udmabuf")->excludes(engine);
  app.add_option("--variant", f.variant, "Variant of the engine's machine: name or file")
      ->needs(engine)
      ->capture_default_str();
  f.serve.add_to(app, "needed");
  app.get_option("--cache")->required();
  app.add_flag("--json", f.json, "Print the address as JSON");
}

void run(const Flags& f) {
  remote::serve(f.serve,
                {.program = "vdla-board-server",
                 .device =
                     [&] {
                       return std::make_unique<remote::DeviceProcess>([&] {
                         return std::make_unique<ServedBoard>(runner::DeviceChoice{f.uio.options, f.engine},
                                                              isa::load_variant(f.variant));
                       });
                     },
                 .listen = remote::serve_grpc,
                 .begun =
                     [&](const remote::Begun& begun) {
                       if (f.json)
                         fmt::print("{}\n", json_dump(nlohmann::ordered_json{{"address", begun.address}}));
                       else
                         fmt::print("{}\n", begun.text());
                     }});
}

int fail(bool json, int status, const std::string& message) {
  if (json)
    fmt::print("{}\n", json_dump(nlohmann::ordered_json{{"error", message}}));
  else
    fmt::print(stderr, "vdla-board-server: {}{}\n",
               status == 3 ? "internal error, please report it: " : "error: ", message);
  return status;
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Offers this board's accelerator to desks elsewhere.", "vdla-board-server");
  Flags flags;
  add_flags(app, flags);
  try {
    app.parse(argc, argv);
    run(flags);
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    return fail(false, 2, std::string(e.what()) + "; see vdla-board-server --help");
  } catch (const UserError& e) {
    return fail(flags.json, 1, e.what());
  } catch (const std::exception& e) {
    return fail(flags.json, 3, e.what());
  }
}

}  // namespace
}  // namespace vdla::server

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a desk that has gone
  vdla::tools::watch_standard_streams();
  const int status = vdla::server::run_command_line(argc, argv);
  const int error = vdla::tools::finish_standard_output();
  if (error == 0) return status;
  fmt::print(stderr, "vdla-board-server: error: cannot write to standard output: {}\n", std::strerror(error));
  return status == 0 ? 1 : status;
}
