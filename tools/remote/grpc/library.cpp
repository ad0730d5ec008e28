// SPDX-License-Identifier: Apache-2.0
#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include <cstdlib>

#include "tools/remote/grpc/parts.h"

namespace vdla::remote {
namespace {

/// For as long as the process lives. gRPC that goes with its last connection waits for its threads: one polls
/// for 10 s after a socket was full, as that of an upload that the board refuses.
void keep_grpc() { [[maybe_unused]] static const bool kept = (grpc_init(), true); }

class GrpcLibrary final : public Library {
 public:
  GrpcLibrary() {
    // What goes wrong is in the status of a call; gRPC's own lines are for those who ask for them.
    if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  }

  std::unique_ptr<Server> serve(const std::string& address, unsigned port, const Certificates& certificates,
                                Service& service, std::string& why) override {
    keep_grpc();
    return remote::serve(address, port, certificates, service, why);
  }
  std::unique_ptr<Client> connect(const std::string& host, unsigned port,
                                  const Certificates& certificates) override {
    keep_grpc();
    return remote::connect(host, port, certificates);
  }
  bool make_certificates(const std::vector<std::string>& hosts, const std::string& client, unsigned days,
                         Authority& made, std::string& why) override {
    try {
      made = remote::make_certificates(hosts, client, days);
      return true;
    } catch (const std::exception& e) {
      why = e.what();
      return false;
    }
  }
};

}  // namespace
}  // namespace vdla::remote

extern "C" __attribute__((visibility("default"))) vdla::remote::Library* vdla_remote_library() {
  static vdla::remote::GrpcLibrary library;
  return &library;
}
