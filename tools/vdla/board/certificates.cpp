// SPDX-License-Identifier: Apache-2.0
// vdla board certificates: an authority of one's own for a board's server and its desks.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "kit/prefix.h"
#include "support/error.h"
#include "tools/remote/certificate_files.h"
#include "tools/remote/host.h"
#include "tools/remote/library.h"
#include "tools/vdla/board/board.h"

namespace vdla::tools {
namespace {

struct CertificatesFlags {
  std::string folder, client = "desk";
  std::vector<std::string> hosts;
  unsigned days = 825;
};

void make_certificates(const CertificatesFlags& f, const Context& context) {
  std::vector<std::string> hosts;
  for (const std::string& host : f.hosts) hosts.push_back(remote::parse_host(host, "--host").plain_name());
  for (const char* own : {"localhost", "127.0.0.1", "::1"}) hosts.emplace_back(own);
  VDLA_CHECK_USER(!f.client.empty() && f.client.size() <= 64)
      << "--client is the desk's name in its certificate, 1 to 64 bytes, got " << f.client.size();
  remote::Authority made;
  std::string why;
  VDLA_CHECK_USER(remote::load_library(kit::prefix()).make_certificates(hosts, f.client, f.days, made, why))
      << why;
  remote::write_certificates(made, f.folder);
  context.report({{"folder", f.folder}, {"hosts", hosts}, {"client", f.client}, {"days", f.days}}, [&] {
    fmt::print(
        "{}: certificates for {} days\n"
        "  to the board: ca.pem, server.pem, server.key   for {}\n"
        "  to the desk:  ca.pem, client.pem, client.key   for '{}'\n"
        "The keys are secrets: copy them by scp, and remove the folder. The authority's own key was not "
        "kept.\n",
        f.folder, f.days, fmt::join(hosts, ", "), f.client);
  });
}

}  // namespace

void add_board_certificates(CLI::App& group, Context& context) {
  auto f = std::make_shared<CertificatesFlags>();
  CLI::App* c =
      add_command(group, context, "certificates", "Make certificates for a board's server and its users",
                  "Writes ca.pem, server.pem, server.key, client.pem and client.key. Whoever has "
                  "the client's key can run code on\n"
                  "the board; whoever has the server's can pretend to be it. Certificates of one's "
                  "own authority work as well,\n"
                  "under these names.\n"
                  "example: vdla board certificates lab --host board.lab --host 192.168.1.7",
                  [&context, f] { make_certificates(*f, context); });
  c->add_option("folder", f->folder, "Folder to make")->required();
  c->add_option("--host", f->hosts, "Name or address of the board for its users; may be repeated")
      ->expected(1)
      ->take_all();
  c->add_option("--client", f->client, "Name of the user, shown to others during a lease")
      ->capture_default_str();
  c->add_option("--days", f->days, "Days until the certificates expire")
      ->check(CLI::Range(1, 36500))
      ->capture_default_str();
}

}  // namespace vdla::tools
