// SPDX-License-Identifier: Apache-2.0
// A transport whose device is in another process: each call is a message there and back
// (driver/remote/access.h). For bring-up, where registers matter; whole modules go to a server
// (tools/remote), which costs one message a run.
#pragma once

#include <functional>
#include <string>

#include "driver/remote/access.h"

namespace vdla::driver {

class RemoteTransport {
 public:
  /// `call` brings a request to an Accesses and its reply back; where that fails, the reply's error says why.
  RemoteTransport(TransportFacts facts, std::function<AccessReply(const AccessRequest&)> call);
  RemoteTransport(const RemoteTransport&) = delete;
  RemoteTransport& operator=(const RemoteTransport&) = delete;

  /// Returns the transport for vdla_probe(); it lives as long as this object.
  const vdla_transport* transport() const { return &transport_; }

 private:
  struct Calls;
  int perform(const AccessRequest& request, AccessReply& reply);

  const TransportFacts facts_;
  std::function<AccessReply(const AccessRequest&)> call_;
  std::string last_error_, said_;
  vdla_transport transport_;
};

}  // namespace vdla::driver
