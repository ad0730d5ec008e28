// SPDX-License-Identifier: Apache-2.0
// The border of the library that has gRPC (grpc/): servers call a Service, desks a Client. The library is
// loaded when a command needs it (library.h), so that no other command pays for gRPC. Nothing throws across
// the border.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/remote/messages.h"

namespace vdla::remote {

/// PEM texts of one side; all empty: plaintext.
struct Certificates {
  std::string ca, certificate, key;
  bool given() const { return !ca.empty(); }
};

/// Caller of a service.
struct Caller {
  std::string name;            ///< name in the certificate; empty: there is none
  std::function<bool()> gone;  ///< cut off, cancelled or past the deadline; for the call's own thread
  std::function<void()> end;   ///< ends the call, from any thread while it lasts
};

/// Actions of a server, a function for each call of the protocol. Calls come on several threads.
class Service {
 public:
  virtual ~Service() = default;

  virtual Facts describe() = 0;
  /// Returns when the lease has ended, and says why. `granted` is called once, before anything else can use
  /// the lease; false: the desk is gone.
  virtual Status lease(const LeaseRequest& request, const Caller& caller,
                       const std::function<bool(const LeaseGrant&)>& granted) = 0;
  /// `next` gives the parts; false: no more come.
  virtual Status upload(const UploadHead& head, const Caller& caller,
                        const std::function<bool(std::string& part)>& next) = 0;
  virtual Status run(const RunRequest& request, const Caller& caller, RunReply& reply) = 0;
  virtual Status hook(const HookRequest& request, const Caller& caller, HookReply& reply) = 0;
  /// From here on the lease may access the device itself, until it runs a module.
  virtual Status attach(const std::string& token, const Caller& caller, driver::TransportFacts& facts) = 0;
  virtual Status access(const AccessCall& call, const Caller& caller, driver::AccessReply& reply) = 0;
};

/// Listens until it is destroyed.
class Server {
 public:
  virtual ~Server() = default;
  virtual unsigned port() const = 0;
  virtual void wait() = 0;
};

/// A desk's connection; one lease. A call may take `seconds`, 0: any time.
class Client {
 public:
  virtual ~Client() = default;  ///< gives the lease back
  virtual Status describe(Facts& facts, double seconds) = 0;
  virtual Status lease(const LeaseRequest& request, LeaseGrant& grant, double seconds) = 0;
  virtual Status upload(const UploadHead& head, std::span<const std::byte> file, double seconds) = 0;
  virtual Status run(const RunRequest& request, RunReply& reply, double seconds) = 0;
  virtual Status hook(const HookRequest& request, HookReply& reply, double seconds) = 0;
  virtual Status attach(const std::string& token, driver::TransportFacts& facts, double seconds) = 0;
  virtual Status access(const AccessCall& call, driver::AccessReply& reply, double seconds) = 0;
  /// Ends the call that is under way and the lease, from any thread.
  virtual void cancel() = 0;
};

/// A key with its certificate, PEM.
struct Identity {
  std::string certificate, key;
};
/// An authority of one's own, which signs one certificate for servers and one for desks; its key is not kept.
struct Authority {
  std::string ca;
  Identity server, client;
};

class Library {
 public:
  virtual ~Library() = default;
  /// `address`: "127.0.0.1", "[::]"; port 0: a free one. Null: `why` says.
  virtual std::unique_ptr<Server> serve(const std::string& address, unsigned port,
                                        const Certificates& certificates, Service& service,
                                        std::string& why) = 0;
  /// Does not wait for the connection: the first call does.
  virtual std::unique_ptr<Client> connect(const std::string& host, unsigned port,
                                          const Certificates& certificates) = 0;
  /// `hosts`: names and addresses by which desks reach the server. False: `why` says.
  virtual bool make_certificates(const std::vector<std::string>& hosts, const std::string& client,
                                 unsigned days, Authority& made, std::string& why) = 0;
};

/// Name of the symbol that the library exports.
inline constexpr const char* kLibrarySymbol = "vdla_remote_library";
using LibraryFunction = Library*();

}  // namespace vdla::remote
