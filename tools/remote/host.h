// SPDX-License-Identifier: Apache-2.0
// Address at which a server listens, as desks name it: HOST, HOST:PORT, [ADDRESS OF IPv6]:PORT.
#pragma once

#include <string>

namespace vdla::remote {

struct Host {
  std::string name;  ///< an address of IPv6 has its brackets
  unsigned port = 0;

  /// "board.lab:50551"
  std::string text() const;
  /// Whether it is this machine: localhost, 127.0.0.1 and its like, [::1].
  bool loopback() const;
  /// As certificates have it: without brackets.
  std::string plain_name() const;
};

/// Without a port: kDefaultPort; 0 only where `any_port`. UserError says what of `text`, the value of
/// `option`, is wrong; a file or the name of a simulated board is none.
Host parse_host(const std::string& text, const std::string& option, bool any_port = false);

}  // namespace vdla::remote
