// SPDX-License-Identifier: Apache-2.0
// A transport in front of another one, whose waits can be ended: they are made of short pieces, and between
// two of them a caller is asked.
#pragma once

#include <functional>
#include <string>

#include "driver/core/transport.h"

namespace vdla::remote {

class StoppableTransport {
 public:
  /// `why` gives "" to go on, or the reason for which a run ends. The transport behind it must outlive this
  /// one.
  StoppableTransport(const vdla_transport* behind, std::function<std::string()> why);
  StoppableTransport(const StoppableTransport&) = delete;
  StoppableTransport& operator=(const StoppableTransport&) = delete;

  const vdla_transport* transport() const { return &transport_; }

 private:
  struct Calls;

  const vdla_transport* behind_;
  std::function<std::string()> why_;
  std::string stopped_;  ///< the reason, while it is the last error
  vdla_transport transport_;
};

}  // namespace vdla::remote
