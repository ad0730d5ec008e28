// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/grpc/parts.h"

namespace vdla::remote {
namespace {

class GrpcLibrary final : public Library {
 public:
  std::unique_ptr<Server> serve(const std::string& address, unsigned port, const Certificates& certificates,
                                Service& service, std::string& why) override {
    return serve_grpc(address, port, certificates, service, why);
  }
  std::unique_ptr<Client> connect(const std::string& host, unsigned port,
                                  const Certificates& certificates) override {
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
