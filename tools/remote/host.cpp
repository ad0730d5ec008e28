// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "support/error.h"
#include "tools/remote/messages.h"

namespace vdla::remote {
namespace {

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
         c == '_';
}

bool is_ipv6_character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == ':' || c == '.';
}

/// Whether all of `name` is a name or an address.
bool is_host(const std::string& name) {
  if (name.starts_with('['))
    return name.size() > 2 && name.ends_with(']') &&
           std::all_of(name.begin() + 1, name.end() - 1, is_ipv6_character);
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, is_host_character);
}

}  // namespace

std::string Host::text() const { return fmt::format("{}:{}", name, port); }

bool Host::loopback() const {
  const bool ipv4 = name.starts_with("127.") && std::ranges::count(name, '.') == 3 &&
                    std::ranges::all_of(name, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return ipv4 || name == "localhost" || name == "[::1]";
}

std::string Host::plain_name() const {
  return name.starts_with('[') ? name.substr(1, name.size() - 2) : name;
}

Host parse_host(const std::string& text, const std::string& option, bool any_port) {
  Host host{text, kDefaultPort};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && !text.ends_with(']')) {
    host.name = text.substr(0, colon);
    const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
    const auto [last, error] = std::from_chars(begin, end, host.port);
    VDLA_CHECK_USER(error == std::errc() && last == end && host.port <= 65535 && (host.port != 0 || any_port))
        << option << " '" << text << "': '" << std::string(begin, end) << "' is no port, needs a number from "
        << (any_port ? 0 : 1) << " to 65535";
  }
  VDLA_CHECK_USER(is_host(host.name))
      << option << " '" << text
      << "' names no machine: needs HOST, HOST:PORT or [ADDRESS]:PORT, as in board.lab:" << kDefaultPort
      << " or [fe80::1]:" << kDefaultPort;
  return host;
}

}  // namespace vdla::remote
