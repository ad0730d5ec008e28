// SPDX-License-Identifier: Apache-2.0
// The calls of the protocol, handed to the service.
#include <grpcpp/grpcpp.h>

#include "tools/remote/grpc/board.grpc.pb.h"
#include "tools/remote/grpc/convert.h"
#include "tools/remote/grpc/parts.h"
#include "tools/remote/grpc/upload_slots.h"

namespace vdla::remote {
namespace {

/// Threads of all calls together. A lease takes one for its whole time, and so does a client that waits for
/// an answer. Other calls get one with their first message; an upload, which is a stream, gets it before.
constexpr int kMaxThreads = 32;
/// A lease has one upload at a time; the others are those of desks whose call has ended without a word.
constexpr std::size_t kMostUploads = 4;
constexpr std::chrono::seconds kMessagePatience{10};

grpc::Status to_grpc(const Status& status) {
  for (const WireCode& row : kWireCodes)
    if (row.code == status.code) return {static_cast<grpc::StatusCode>(row.grpc), status.text};
  return {grpc::StatusCode::CANCELLED, status.text};
}

std::string name_of_certificate(const grpc::ServerContext& context) {
  const auto names = context.auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
  return names.empty() ? "" : std::string(names[0].data(), names[0].size());
}

Caller caller_of(grpc::ServerContext& context) {
  return {name_of_certificate(context), [&context] { return context.IsCancelled(); },
          [&context] { context.TryCancel(); }};
}

class Calls final : public wire::Board::Service {
 public:
  explicit Calls(remote::Service& service) : service_(service) {}

  grpc::Status Describe(grpc::ServerContext*, const wire::DescribeRequest*, wire::Facts* reply) override {
    to_wire(service_.describe(), *reply);
    return grpc::Status::OK;
  }

  grpc::Status Lease(grpc::ServerContext* context, const wire::LeaseRequest* request,
                     grpc::ServerWriter<wire::LeaseGrant>* writer) override {
    return to_grpc(service_.lease(from_wire(*request), caller_of(*context), [&](const LeaseGrant& grant) {
      wire::LeaseGrant message;
      to_wire(grant, message);
      return writer->Write(message);
    }));
  }

  grpc::Status Upload(grpc::ServerContext* context, grpc::ServerReader<wire::UploadPart>* reader,
                      wire::UploadReply*) override {
    UploadSlots::Upload upload(uploads_, [context] { context->TryCancel(); });
    wire::UploadPart part;
    const auto read = [&] { return reader->Read(&part); };
    if (!upload.next(read) || !part.has_head())
      return {grpc::StatusCode::FAILED_PRECONDITION, "an upload begins with its head, got none"};
    const UploadHead head = from_wire(part.head());
    return to_grpc(service_.upload(head, caller_of(*context), [&](std::string& data) {
      if (!upload.next(read)) return false;
      data = std::move(*part.mutable_data());  // part of another head: empty
      return true;
    }));
  }

  grpc::Status Run(grpc::ServerContext* context, const wire::RunRequest* request,
                   wire::RunReply* reply) override {
    RunReply ran;
    const Status status = service_.run(from_wire(*request), caller_of(*context), ran);
    if (status.ok()) to_wire(ran, *reply);
    return to_grpc(status);
  }

  grpc::Status Hook(grpc::ServerContext* context, const wire::HookRequest* request,
                    wire::HookReply* reply) override {
    HookReply done;
    const Status status = service_.hook(from_wire(*request), caller_of(*context), done);
    reply->set_text(done.text);
    return to_grpc(status);
  }

  grpc::Status Attach(grpc::ServerContext* context, const wire::AttachRequest* request,
                      wire::TransportFacts* reply) override {
    driver::TransportFacts facts;
    const Status status = service_.attach(request->token(), caller_of(*context), facts);
    to_wire(facts, *reply);
    return to_grpc(status);
  }

  grpc::Status Access(grpc::ServerContext* context, const wire::AccessCall* request,
                      wire::AccessReply* reply) override {
    driver::AccessReply done;
    const Status status = service_.access(from_wire(*request), caller_of(*context), done);
    to_wire(done, *reply);
    return to_grpc(status);
  }

 private:
  remote::Service& service_;
  UploadSlots uploads_{kMostUploads, kMessagePatience};
};

class GrpcServer final : public Server {
 public:
  GrpcServer(const std::string& address, unsigned port, const Certificates& certificates,
             remote::Service& service)
      : calls_(service) {
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (certificates.given()) {
      grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
      options.pem_root_certs = certificates.ca;
      options.pem_key_cert_pairs.push_back({certificates.key, certificates.certificate});
      credentials = grpc::SslServerCredentials(options);
    }
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address + ":" + std::to_string(port), credentials, &port_);
    builder.RegisterService(&calls_);
    builder.SetMaxReceiveMessageSize(static_cast<int>(kMaxRequestBytes));
    builder.SetMaxSendMessageSize(static_cast<int>(kMaxReplyBytes));
    builder.SetResourceQuota(grpc::ResourceQuota("vdla").SetMaxThreads(kMaxThreads));
    // A second server on the port is an error, and a desk whose cable was pulled is gone after 15 s.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
    server_ = builder.BuildAndStart();
  }
  ~GrpcServer() override {
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
  }

  bool listens() const { return server_ != nullptr && port_ != 0; }
  unsigned port() const override { return static_cast<unsigned>(port_); }
  void wait() override { server_->Wait(); }

 private:
  Calls calls_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

std::unique_ptr<Server> serve_grpc(const std::string& address, unsigned port,
                                   const Certificates& certificates, Service& service, std::string& why) {
  begin_grpc();
  auto server = std::make_unique<GrpcServer>(address, port, certificates, service);
  if (server->listens()) return server;
  why = "cannot listen on " + address + ":" + std::to_string(port) +
        (certificates.given() ? ": another program has the port, this machine does not have the address, or "
                                "the key does not fit the certificate"
                              : ": another program has the port, or this machine does not have the address");
  return nullptr;
}

}  // namespace vdla::remote
