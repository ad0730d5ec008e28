// SPDX-License-Identifier: Apache-2.0
#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include <cstdlib>

#include "tools/remote/grpc/parts.h"

namespace vdla::remote {

void begin_grpc() {
  [[maybe_unused]] static const bool begun = [] {
    // Errors are in the status of a call; gRPC's own lines are for those who ask for them.
    if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
    grpc_init();
    return true;
  }();
}

}  // namespace vdla::remote
