// SPDX-License-Identifier: Apache-2.0
// A desk's end of the connection.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tools/remote/grpc/board.grpc.pb.h"
#include "tools/remote/grpc/convert.h"
#include "tools/remote/grpc/parts.h"

namespace vdla::remote {
namespace {

Status from_grpc(const grpc::Status& status) {
  for (const WireCode& row : kWireCodes)
    if (row.grpc == status.error_code()) return {row.code, status.error_message()};
  switch (status.error_code()) {
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {Code::Late, status.error_message()};
    case grpc::StatusCode::CANCELLED:
      return {Code::Cancelled, status.error_message()};
    case grpc::StatusCode::RESOURCE_EXHAUSTED:  // a message beyond its limit, or too many calls at once
    case grpc::StatusCode::UNIMPLEMENTED:
      return {Code::Refused, status.error_message()};
    default:
      return {Code::Unreachable, status.error_message()};
  }
}

std::shared_ptr<grpc::Channel> channel(const std::string& host, unsigned port,
                                       const Certificates& certificates) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(kMaxReplyBytes));
  arguments.SetMaxSendMessageSize(static_cast<int>(kMaxRequestBytes));
  // A board that lost its power is gone after half a minute.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (certificates.given()) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = certificates.ca;
    options.pem_private_key = certificates.key;
    options.pem_cert_chain = certificates.certificate;
    credentials = grpc::SslCredentials(options);
  }
  return grpc::CreateCustomChannel("dns:///" + host + ":" + std::to_string(port), credentials, arguments);
}

class GrpcClient final : public Client {
 public:
  GrpcClient(const std::string& host, unsigned port, const Certificates& certificates)
      : stub_(wire::Board::NewStub(channel(host, port, certificates))) {}
  ~GrpcClient() override {
    cancel();
    end_lease();
  }

  Status describe(Facts& facts, double seconds) override {
    wire::Facts reply;
    const Status status = call(seconds, [&](grpc::ClientContext& context) {
      return stub_->Describe(&context, wire::DescribeRequest(), &reply);
    });
    facts = from_wire(reply);
    return status;
  }

  /// The stream stays open: it is the lease.
  Status lease(const LeaseRequest& request, LeaseGrant& grant, double seconds) override {
    end_lease();
    {
      const std::lock_guard lock(mutex_);
      if (cancelled_) return {Code::Cancelled, ""};
      lease_context_ = std::make_unique<grpc::ClientContext>();
    }
    wire::LeaseRequest message;
    to_wire(request, message);
    lease_ = stub_->Lease(lease_context_.get(), message);
    // A stream has one deadline for all of its time, and this one ends with the lease.
    std::mutex done_mutex;
    std::condition_variable done_changed;
    bool done = false, late = false;
    std::thread watch([&] {
      std::unique_lock lock(done_mutex);
      const auto is_done = [&] { return done; };
      if (seconds == 0 || done_changed.wait_for(lock, std::chrono::duration<double>(seconds), is_done))
        return;
      late = true;
      lease_context_->TryCancel();
    });
    wire::LeaseGrant first;
    const bool granted = lease_->Read(&first);
    {
      const std::lock_guard lock(done_mutex);
      done = true;
    }
    done_changed.notify_all();
    watch.join();
    if (granted) {
      grant = from_wire(first);
      return {};
    }
    const Status status = finish_lease();
    return late ? Status{Code::Late, ""} : status;
  }

  Status upload(const UploadHead& head, std::span<const std::byte> file, double seconds) override {
    return call(seconds, [&](grpc::ClientContext& context) {
      wire::UploadReply reply;
      const auto writer = stub_->Upload(&context, &reply);
      wire::UploadPart part;
      to_wire(head, *part.mutable_head());
      bool taken = writer->Write(part);
      for (std::size_t at = 0; taken && at < file.size(); at += kPartBytes) {
        const std::size_t size = std::min(kPartBytes, file.size() - at);
        part.set_data(file.data() + at, size);
        taken = writer->Write(part);
      }
      if (taken) writer->WritesDone();
      return writer->Finish();
    });
  }

  Status run(const RunRequest& request, RunReply& reply, double seconds) override {
    wire::RunRequest message;
    to_wire(request, message);
    wire::RunReply answer;
    const Status status =
        call(seconds, [&](grpc::ClientContext& context) { return stub_->Run(&context, message, &answer); });
    if (status.ok()) reply = from_wire(answer);
    return status;
  }

  Status hook(const HookRequest& request, HookReply& reply, double seconds) override {
    wire::HookRequest message;
    to_wire(request, message);
    wire::HookReply answer;
    const Status status =
        call(seconds, [&](grpc::ClientContext& context) { return stub_->Hook(&context, message, &answer); });
    reply.text = answer.text();
    return status;
  }

  Status attach(const std::string& token, driver::TransportFacts& facts, double seconds) override {
    wire::AttachRequest message;
    message.set_token(token);
    wire::TransportFacts answer;
    const Status status = call(
        seconds, [&](grpc::ClientContext& context) { return stub_->Attach(&context, message, &answer); });
    facts = from_wire(answer);
    return status;
  }

  Status access(const AccessCall& access, driver::AccessReply& reply, double seconds) override {
    wire::AccessCall message;
    to_wire(access, message);
    wire::AccessReply answer;
    const Status status = call(
        seconds, [&](grpc::ClientContext& context) { return stub_->Access(&context, message, &answer); });
    reply = from_wire(answer);
    return status;
  }

  void cancel() override {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    if (current_ != nullptr) current_->TryCancel();
    if (lease_context_) lease_context_->TryCancel();
  }

 private:
  template <class Body>
  Status call(double seconds, Body body) {
    grpc::ClientContext context;
    if (seconds > 0)
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6)));
    {
      const std::lock_guard lock(mutex_);
      if (cancelled_) return {Code::Cancelled, ""};
      current_ = &context;
    }
    const grpc::Status status = body(context);
    const std::lock_guard lock(mutex_);
    current_ = nullptr;
    return from_grpc(status);
  }

  Status finish_lease() {
    wire::LeaseGrant ignored;
    while (lease_->Read(&ignored)) {
    }
    const Status status = from_grpc(lease_->Finish());
    lease_.reset();
    return status;
  }
  void end_lease() {
    if (!lease_) return;
    lease_context_->TryCancel();
    finish_lease();
  }

  std::unique_ptr<wire::Board::Stub> stub_;
  std::mutex mutex_;  ///< guards what cancel() reads
  grpc::ClientContext* current_ = nullptr;
  bool cancelled_ = false;
  std::unique_ptr<grpc::ClientContext> lease_context_;
  std::unique_ptr<grpc::ClientReader<wire::LeaseGrant>> lease_;
};

}  // namespace

std::unique_ptr<Client> connect(const std::string& host, unsigned port, const Certificates& certificates) {
  begin_grpc();
  return std::make_unique<GrpcClient>(host, port, certificates);
}

}  // namespace vdla::remote
