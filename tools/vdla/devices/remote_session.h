// SPDX-License-Identifier: Apache-2.0
// A board elsewhere, from the desk: connection, lease and runs (tools/remote).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/module/module.h"
#include "runtime/session/session.h"
#include "support/error.h"
#include "support/interrupt.h"
#include "tools/remote/host.h"
#include "tools/remote/interface.h"
#include "tools/vdla/devices/remote_flags.h"

namespace vdla::tools {

/// A run that a device elsewhere did not finish: what its server says of it.
class RemoteDeviceError : public UserError {
 public:
  RemoteDeviceError(remote::FailedRun failed, std::string board)
      : UserError(failed.message), failed_(std::move(failed)), board_(std::move(board)) {}
  const remote::FailedRun& failed() const { return failed_; }
  /// "board.lab:50551"
  const std::string& board() const { return board_; }

 private:
  remote::FailedRun failed_;
  std::string board_;
};

/// Whether `text` is a board that the kit knows as data, by name or by path: the one place that tells it from
/// a machine.
bool names_board(const std::string& text);

/// The connection. An interrupt ends what is under way on the board.
class RemoteBoard {
 public:
  /// For the first answer of a board, and for that of a lease.
  static constexpr double kAnswerSeconds = 10;

  /// Loads the library with gRPC and asks the board what it is. UserError says why it cannot be had.
  explicit RemoteBoard(const RemoteFlags& flags);

  const remote::Host& host() const { return host_; }
  const remote::Facts& facts() const { return facts_; }
  /// The lease's token. UserError names who has the board.
  const std::string& take();
  remote::Client& client() { return *client_; }
  double time_limit() const { return flags_.time_limit; }
  /// A run of the module in `file`, which is uploaded where the board does not have it. `request` has all but
  /// the file's hash.
  remote::Status run(remote::RunRequest& request, const runtime::Bytes& file, remote::RunReply& reply);
  /// Throws UserError, with what the desk can do about it, unless the call went well.
  void require(const remote::Status& status) const;

 private:
  std::string advice(const std::string& text) const;

  const RemoteFlags flags_;
  const remote::Host host_;
  bool encrypted_ = false;
  std::unique_ptr<remote::Client> client_;
  std::optional<OnInterrupt> cancel_;  // goes before what it cancels
  remote::Facts facts_;
  std::string token_;
};

/// A module on a board elsewhere.
class RemoteSession {
 public:
  /// Takes the lease, where `flags` name a list of boards (read_hosts()) of the first that answers, is free
  /// and has the module's geometry. UserError where the board is of another geometry, or no board of the list
  /// can be had. `module` is that of the file, `name` what messages call it.
  RemoteSession(const RemoteFlags& flags, const std::string& name, runtime::Bytes file,
                const runtime::Module& module, const remote::RunOptions& options);

  /// Later runs are of another module for the same geometry, under the same lease.
  void change_module(runtime::Bytes file, const runtime::Module& module);
  /// As runtime::Session::run_model(), of whose result outputs are checked.
  runtime::Result run_model(const std::vector<runtime::Bytes>& inputs);
  /// Timeline of the last run, where one was asked for.
  const std::string& timeline() const { return timeline_; }

  /// As kit::Session::name() says it there: "rtl", "UIO device vdla"
  const std::string& name() const { return name_; }
  /// "board.lab:50551"
  std::string board() const { return board_.host().text(); }
  bool has_time() const { return has_time_; }

 private:
  void check_outputs(const runtime::Result& result) const;

  RemoteBoard board_;
  runtime::Bytes file_;
  std::vector<runtime::Port> outputs_;
  remote::RunRequest request_;
  std::string name_ = "cpu", timeline_;
  bool has_time_ = false;
};

}  // namespace vdla::tools
