// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/remote/interface.h"

namespace vdla::remote {

/// gRPC for as long as the process lives, first of all. One that goes with its last connection waits for its
/// threads: one polls for 10 s after a socket was full, as that of an upload that the board refuses.
void begin_grpc();

/// Null: `why` says.
std::unique_ptr<Server> serve_grpc(const std::string& address, unsigned port,
                                   const Certificates& certificates, Service& service, std::string& why);

std::unique_ptr<Client> connect(const std::string& host, unsigned port, const Certificates& certificates);

/// Throws std::runtime_error.
Authority make_certificates(const std::vector<std::string>& hosts, const std::string& client, unsigned days);

/// Codes of the service over the wire. Others come from the connection.
struct WireCode {
  Code code;
  int grpc;  ///< grpc::StatusCode
};
inline constexpr WireCode kWireCodes[] = {{Code::Ok, 0}, {Code::Refused, 9}, {Code::Missing, 5}};

}  // namespace vdla::remote
