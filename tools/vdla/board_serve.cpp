// SPDX-License-Identifier: Apache-2.0
// vdla board serve: the device of this machine, or an engine, for desks elsewhere.
#include <fmt/core.h>

#include <cstdio>
#include <mutex>

#include "kit/prefix.h"
#include "kit/rtl.h"
#include "support/error.h"
#include "tools/remote/certificate_files.h"
#include "tools/remote/host.h"
#include "tools/remote/library.h"
#include "tools/remote/service.h"
#include "tools/vdla/board.h"
#include "tools/vdla/served_device.h"
#include "tools/vdla/trust.h"

namespace vdla::tools {
namespace {

struct BoardServeFlags {
  BoardDeviceFlags device;
  std::string listen = fmt::format("127.0.0.1:{}", remote::kDefaultPort), certificates, cache;
  std::uint64_t max_upload_mib = 256, cache_mib = 1024;
  remote::ServiceOptions service;
  TrustFlag trust;
};

std::filesystem::path cache_folder(const BoardServeFlags& f) {
  if (!f.cache.empty()) return f.cache;
  const std::filesystem::path cache = cached_uploads();
  VDLA_CHECK_USER(!cache.empty())
      << "no place for uploaded modules: set HOME or XDG_CACHE_HOME, or give --cache DIR";
  return cache;
}

remote::Certificates certificates_of(const BoardServeFlags& f, const remote::Host& host) {
  if (!f.certificates.empty()) return remote::read_certificates(f.certificates, remote::Side::Server);
  VDLA_CHECK_USER(host.loopback())
      << "--listen " << host.text()
      << " reaches other machines, which needs --certificates DIR: whoever may upload "
      << "modules runs code here; vdla board certificates makes them";
  return {};
}

void serve(const BoardServeFlags& f, const Context& context) {
  const remote::Host listen = remote::parse_host(f.listen, "--listen", true);
  const remote::Certificates certificates = certificates_of(f, listen);
  remote::Library& library = remote::load_library(kit::prefix());
  ServedDevice device(f.device);
  remote::ModuleCache cache(cache_folder(f), {f.max_upload_mib << 20, f.cache_mib << 20});
  remote::ServiceOptions options = f.service;
  options.trust = f.trust.options();
  std::mutex printing;
  options.log = [&](const std::string& line) {
    const std::lock_guard lock(printing);
    std::fputs(fmt::format("vdla board serve: {}\n", line).c_str(), stderr);
  };
  remote::BoardService service(device, cache, options);
  std::string why;
  const auto server = library.serve(listen.name, listen.port, certificates, service, why);
  VDLA_CHECK_USER(server != nullptr) << why;
  const remote::Facts facts = service.describe();
  const std::string address = remote::Host{listen.name, server->port()}.text();
  const std::string who = certificates.given() ? "desks with a certificate of this authority"
                                               : "this machine alone: in plaintext, by the loopback address";
  context.report({{"address", address},
                  {"encrypted", certificates.given()},
                  {"device", facts.device},
                  {"variant", facts.variant},
                  {"geometry_hash", fmt::format("{:016x}", facts.geometry_hash)}},
                 [&] {
                   fmt::print("{} on {}, for {}; until Ctrl-C\n",
                              facts.variant.empty()
                                  ? facts.device
                                  : fmt::format("engine {}, {}", facts.device, facts.variant),
                              address, who);
                 });
  std::fflush(stdout);
  server->wait();
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
      group, context, "serve", "Offer the device of this machine, or an engine, to desks elsewhere",
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
  c->add_option("--listen", f->listen, "ADDRESS[:PORT] of this machine; port 0: a free one, which is printed")
      ->capture_default_str();
  c->add_option("--certificates", f->certificates, "Folder with ca.pem, server.pem and server.key")
      ->check(CLI::ExistingDirectory);
  c->add_option("--cache", f->cache, "Folder for uploaded modules; default: vdla/board in the user's cache");
  c->add_option("--cache-size", f->cache_mib, "MiB that it may take: those go that were not used for longest")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  c->add_option("--max-upload", f->max_upload_mib, "MiB of the largest module that is taken")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  c->add_option("--max-lease", f->service.max_lease_seconds, "Seconds of the longest lease")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->add_option("--reset-command", f->service.reset_command,
                "Command of the shell that vdla board reset runs here, beside the device's own reset");
  c->add_option("--flash-command", f->service.flash_command,
                "Command of the shell that configures the FPGA, for vdla board flash");
  f->trust.add_to(*c);
}

}  // namespace vdla::tools
