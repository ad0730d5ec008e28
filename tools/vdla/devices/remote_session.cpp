// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/devices/remote_session.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "isa/variants/variants.h"
#include "kit/data.h"
#include "kit/device_variant.h"
#include "kit/prefix.h"
#include "runtime/container/module_file.h"
#include "runtime/container/signature.h"
#include "support/error.h"
#include "support/path.h"
#include "tools/remote/certificate_files.h"
#include "tools/remote/library.h"
#include "tools/vdla/devices/host_list.h"

namespace vdla::tools {
namespace {

constexpr double kSlowestBytesPerSecond = 20e3;

/// "ann@desk"
std::string name_of_desk() {
  std::array<char, 256> machine{};
  if (gethostname(machine.data(), machine.size() - 1) != 0) machine[0] = '\0';
  const passwd* user = getpwuid(geteuid());
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : std::to_string(geteuid()), machine.data());
}

remote::Host host_of(const RemoteFlags& flags) {
  VDLA_CHECK_USER(!names_board(flags.board))
      << "--board " << flags.board
      << " is a board's description, and here needs HOST[:PORT], the machine of a vdla "
      << "board serve; vdla board run and vdla board selftest take simulated boards";
  return remote::parse_host(flags.board, "--board");
}

remote::Certificates certificates_of(const RemoteFlags& flags, const remote::Host& host) {
  if (!flags.certificates.empty()) return remote::read_certificates(flags.certificates, remote::Side::Client);
  VDLA_CHECK_USER(host.loopback())
      << "board " << host.text()
      << " is another machine, which needs --certificates DIR: modules are code, and "
      << "plaintext is for the loopback address only; vdla board certificates makes them";
  return {};
}

}  // namespace

bool names_board(const std::string& text) {
  return text.ends_with(".json") || text.find('/') != std::string::npos ||
         is_there(kit::data_root() / "boards" / text / "board.json");
}

RemoteBoard::RemoteBoard(const RemoteFlags& flags) : flags_(flags), host_(host_of(flags)) {
  const remote::Certificates certificates = certificates_of(flags, host_);
  encrypted_ = certificates.given();
  client_ = remote::load_library(kit::prefix()).connect(host_.name, host_.port, certificates);
  cancel_.emplace(Uninterrupted(), [this](const Uninterrupted&) {
    client_->cancel();
    return "told board " + host_.text() + " to stop";
  });
  require(client_->describe(facts_, kAnswerSeconds));
}

const std::string& RemoteBoard::take() {
  if (!token_.empty()) return token_;
  remote::LeaseGrant grant;
  require(client_->lease({name_of_desk(), flags_.lease}, grant, kAnswerSeconds));
  token_ = grant.token;
  return token_;
}

std::string RemoteBoard::advice(const std::string& text) const {
  if (!encrypted_)
    return "is vdla board serve running there? One with certificates needs --certificates here, too";
  if (text.find("connect:") != std::string::npos || text.find("DNS") != std::string::npos ||
      text.find("onnection refused") != std::string::npos)
    return "is vdla board serve running there?";
  return "both sides need certificates of one authority (ca.pem), the board's must have the name '" +
         host_.plain_name() +
         "', and a server without certificates takes none; vdla board certificates makes them";
}

void RemoteBoard::require(const remote::Status& status) const {
  switch (status.code) {
    case remote::Code::Ok:
      return;
    case remote::Code::Refused:
    case remote::Code::Missing:
      throw UserError(fmt::format("board {}: {}", host_.text(), status.text));
    case remote::Code::Unreachable:
      throw UserError(fmt::format("board {}: {}; {}", host_.text(), status.text, advice(status.text)));
    case remote::Code::Late:
      throw UserError(
          flags_.time_limit > 0 && !token_.empty()
              ? fmt::format("board {}: the run was not done within the --time-limit of {:g} s, and was "
                            "ended",
                            host_.text(), flags_.time_limit)
              : fmt::format("board {}: no answer within {:g} s; {}", host_.text(), kAnswerSeconds,
                            advice(status.text)));
    case remote::Code::Cancelled: {
      const Uninterrupted ends_here;  // after an interrupt: the process is about to end
      throw UserError(fmt::format("board {}: cancelled", host_.text()));
    }
  }
}

remote::Status RemoteBoard::run(remote::RunRequest& request, const runtime::Bytes& file,
                                remote::RunReply& reply) {
  request.sha256 = runtime::to_string(runtime::Hash().add(file).finish());
  const remote::Status status = client_->run(request, reply, time_limit());
  if (status.code != remote::Code::Missing) return status;
  VDLA_CHECK_USER(file.size() <= facts_.max_upload)
      << "board " << host_.text() << ": the module has " << file.size() << " bytes, this board takes "
      << facts_.max_upload << " at most; its owner sets that with --max-upload and --cache-size";
  // As over the slowest of lines: one that carries nothing ends.
  const double seconds = kAnswerSeconds + static_cast<double>(file.size()) / kSlowestBytesPerSecond;
  const remote::Status taken = client_->upload({request.token, request.sha256, file.size()}, file, seconds);
  return taken.ok() ? client_->run(request, reply, time_limit()) : taken;
}

namespace {

/// Flags of the first board of a list that the module can have now; else of the board that the flags name.
RemoteFlags board_for(const RemoteFlags& flags, const runtime::Module& module) {
  if (!flags.board.ends_with(".json")) return flags;
  VDLA_CHECK_USER(flags.certificates.empty()) << "--certificates is for --board HOST, and " << flags.board
                                              << " names those of its boards; leave it out";
  std::string reasons;
  for (RemoteFlags one : read_hosts(flags.board)) {
    one.lease = flags.lease;
    one.time_limit = flags.time_limit;
    try {
      const RemoteBoard board(one);
      const remote::Facts& facts = board.facts();
      if (runtime::needs_device(module) && !runtime::fits(facts.about, module.variant.geometry))
        reasons += fmt::format("; board {}: {}", board.host().text(),
                               runtime::describe_mismatch(facts.about, module.variant.geometry));
      else if (!facts.holder.empty())
        reasons += fmt::format("; board {}: leased to {} for {} s at most", board.host().text(), facts.holder,
                               facts.seconds_left);
      else
        return one;
    } catch (const UserError& e) {
      reasons += std::string("; ") + e.what();
    }
  }
  throw UserError(fmt::format("no board of {} can run '{}'{}", flags.board, module.model_name,
                              reasons.empty() ? ": it lists none" : reasons));
}

}  // namespace

RemoteSession::RemoteSession(const RemoteFlags& flags, const std::string& name, runtime::Bytes file,
                             const runtime::Module& module, const remote::RunOptions& options)
    : board_(board_for(flags, module)), file_(std::move(file)), outputs_(module.outputs) {
  const remote::Facts& facts = board_.facts();
  if (runtime::needs_device(module)) {
    name_ = facts.device;
    has_time_ = facts.has_time;
  }
  if (runtime::needs_device(module) && !runtime::fits(facts.about, module.variant.geometry)) {
    const std::string command = kit::command_that_fits(facts.about, flags.text());
    throw UserError(fmt::format("'{}', compiled for variant {}, cannot run on board {}: {}{}", name,
                                isa::label(module.variant), board_.host().text(),
                                runtime::describe_mismatch(facts.about, module.variant.geometry),
                                command.empty() ? "" : "; compile it again: " + command));
  }
  request_.options = options;
  request_.token = board_.take();
}

void RemoteSession::change_module(runtime::Bytes file, const runtime::Module& module) {
  file_ = std::move(file);
  outputs_ = module.outputs;
}

void RemoteSession::check_outputs(const runtime::Result& result) const {
  VDLA_CHECK_USER(result.outputs.size() == outputs_.size())
      << "board " << board() << " gave " << result.outputs.size() << " outputs, the model has "
      << outputs_.size();
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const std::size_t bytes = static_cast<std::size_t>(runtime::element_count(outputs_[i].model_shape)) *
                              runtime::bytes_of(outputs_[i].model_type);
    VDLA_CHECK_USER(result.outputs[i].size() == bytes)
        << "board " << board() << " gave " << result.outputs[i].size() << " bytes of output '"
        << outputs_[i].name << "', needs " << bytes;
  }
}

runtime::Result RemoteSession::run_model(const std::vector<runtime::Bytes>& inputs) {
  request_.inputs = inputs;
  std::size_t bytes = 0;
  for (const runtime::Bytes& input : inputs) bytes += input.size();
  VDLA_CHECK_USER(bytes <= remote::kMaxRequestBytes / 2)
      << "the inputs have " << bytes << " bytes, a run on a board "
      << "takes " << remote::kMaxRequestBytes / 2;
  remote::RunReply reply;
  board_.require(board_.run(request_, file_, reply));
  timeline_ = std::move(reply.timeline);
  if (reply.failed) {
    // A recording of another length is another kit's.
    const auto& recording = reply.failed->recording;
    if (recording && recording->registers.size() != runtime::register_places().size())
      reply.failed->recording = nullptr;
    throw RemoteDeviceError(*reply.failed, board());
  }
  check_outputs(reply.result);
  return std::move(reply.result);
}

}  // namespace vdla::tools
