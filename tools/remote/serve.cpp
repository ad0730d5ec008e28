// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/serve.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>

#include "runtime/container/module_file.h"
#include "support/error.h"
#include "tools/remote/certificate_files.h"
#include "tools/remote/host.h"

namespace vdla::remote {
namespace {

Certificates certificates_of(const ServeFlags& f, const Host& host) {
  if (!f.certificates.empty()) return read_certificates(f.certificates, Side::Server);
  VDLA_CHECK_USER(host.loopback())
      << "--listen " << host.text()
      << " reaches other machines, which needs --certificates DIR: whoever may upload "
      << "modules runs code here; vdla board certificates makes them";
  return {};
}

}  // namespace

ServeFlags::ServeFlags() : listen(fmt::format("127.0.0.1:{}", kDefaultPort)) {}

void ServeFlags::add_to(CLI::App& c, const std::string& no_cache) {
  c.add_option("--listen", listen, "ADDRESS[:PORT] of this machine; port 0: a free one, which is printed")
      ->capture_default_str();
  c.add_option("--certificates", certificates, "Folder with ca.pem, server.pem and server.key")
      ->check(CLI::ExistingDirectory);
  c.add_option("--cache", cache, "Folder for uploaded modules; " + no_cache);
  c.add_option("--cache-size", cache_mib,
               "Size limit of the cache in MiB; the least recently used modules are removed")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  c.add_option("--max-upload", max_upload_mib, "Size limit of an uploaded module in MiB")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  c.add_option("--max-lease", max_lease_seconds, "Longest lease in seconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c.add_option("--reset-command", reset_command,
               "Shell command for vdla board reset to run here, besides the device's own reset");
  c.add_option("--flash-command", flash_command,
               "Shell command for vdla board flash that configures the FPGA");
  c.add_option("--command-limit", command_limit,
               "Time limit of these commands in seconds, after which they and their children are killed")
      ->check(CLI::Range(1e-3, 1e6))
      ->capture_default_str();
  c.add_option(
      "--trust", trust,
      "Public key (NAME.pub of vdla keygen): refuse a module that is not signed with its secret key, whoever "
      "uploads it");
}

std::string Begun::text() const {
  const std::string device =
      facts.variant.empty() ? facts.device : fmt::format("engine {}, {}", facts.device, facts.variant);
  return fmt::format("{} on {}, for {}; until Ctrl-C", device, address,
                     encrypted ? "desks with a certificate of this authority"
                               : "this machine alone: in plaintext, by the loopback address");
}

void serve(const ServeFlags& f, const ServerOfFlags& how) {
  const Host host = parse_host(f.listen, "--listen", true);
  const Certificates certificates = certificates_of(f, host);
  ServiceOptions options{.max_lease_seconds = f.max_lease_seconds,
                         .reset_command = f.reset_command,
                         .flash_command = f.flash_command,
                         .command_limit = f.command_limit};
  if (!f.trust.empty()) options.trust.trusted = runtime::read_public_key(f.trust);
  const std::unique_ptr<LeasedDevice> device = how.device();
  ModuleCache cache(f.cache, {f.max_upload_mib << 20, f.cache_mib << 20});
  std::mutex printing;
  options.log = [&](const std::string& line) {
    const std::lock_guard lock(printing);
    std::fputs(fmt::format("{}: {}\n", how.program, line).c_str(), stderr);
  };
  BoardService service(*device, cache, options);
  std::string why;
  const auto server = how.listen(host.name, host.port, certificates, service, why);
  VDLA_CHECK_USER(server != nullptr) << why;
  how.begun({Host{host.name, server->port()}.text(), certificates.given(), service.describe()});
  std::fflush(stdout);
  server->wait();
}

}  // namespace vdla::remote
