// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/board/station.h"

#include <chrono>
#include <thread>

#include "kit/session.h"
#include "runtime/container/module_file.h"
#include "support/error.h"
#include "tools/vdla/devices/host_list.h"

namespace vdla::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// For a server to end what was at work under a lease that this process gave back, and under one of others
/// who have had a board before the queue gave it to this process.
constexpr Seconds kBackSeconds(10), kOthersSeconds(30);
constexpr Seconds kPauseSeconds(0.1);  // between tries

}  // namespace

BoardStation::BoardStation(RemoteFlags board, const isa::Geometry& geometry, double limit_seconds)
    : flags_(std::move(board)), geometry_(geometry) {
  flags_.time_limit = limit_seconds;
}

/// Whether `body` runs; what it throws is the reason for which the place cannot be used.
bool BoardStation::holds(const std::function<void()>& body) {
  try {
    body();
    return true;
  } catch (const UserError& e) {
    reason_ = e.what();
    return false;
  }
}

bool BoardStation::acquire_once() {
  if (board_) return true;
  held_ = broken_ = false;
  const bool taken = holds([&] {
    board_.emplace(flags_);
    const remote::Facts& facts = board_->facts();
    VDLA_CHECK_USER(facts.has_time) << "board " << board_->host().text() << ": engine " << facts.device
                                    << " has no cycles to measure";
    VDLA_CHECK_USER(runtime::fits(facts.about, geometry_))
        << "board " << board_->host().text() << ": " << runtime::describe_mismatch(facts.about, geometry_);
    held_ = true;
    token_ = board_->take();
    held_ = false;
  });
  if (!taken) board_.reset();
  return taken;
}

/// The server notices a while later that a lease was given back.
bool BoardStation::acquire() {
  const auto until = Clock::now() + (was_released_ ? kBackSeconds : Seconds(0));
  while (!acquire_once()) {
    if (!held_ || Clock::now() >= until) return false;
    std::this_thread::sleep_for(kPauseSeconds);
  }
  return true;
}

/// Asks by this process's connection, which holds the lease: a lease that is over has another holder, or
/// none.
bool BoardStation::health() {
  return holds([&] {
    remote::Facts facts;
    board_->require(board_->client().describe(facts, RemoteBoard::kAnswerSeconds));
    VDLA_CHECK_USER(!facts.holder.empty()) << "board " << board_->host().text() << ": the lease is over";
  });
}

bool BoardStation::reset() {
  return holds([&] {
    remote::HookReply ignored;
    const remote::Status status =
        board_->client().hook({token_, remote::Hook::Reset}, ignored, tune::kResetSeconds);
    broken_ = status.code == remote::Code::Refused;
    board_->require(status);
  });
}

void BoardStation::release() {
  was_released_ = board_.has_value();
  board_.reset();
}

double BoardStation::cycles(const runtime::Module& module) {
  remote::RunRequest request;
  request.token = token_;
  request.options = {.stall_limit = kit::RunLimits().stall_limit, .cycles_only = true};
  for (const runtime::Port& port : module.inputs)
    request.inputs.emplace_back(static_cast<std::size_t>(runtime::element_count(port.model_shape)) *
                                runtime::bytes_of(port.model_type));
  remote::RunReply reply;
  const remote::Status status = board_->run(request, runtime::serialize(module), reply);
  VDLA_CHECK_USER(status.code != remote::Code::Late)
      << "board " << board_->host().text() << ": it took more than " << flags_.time_limit << " s";
  board_->require(status);
  VDLA_CHECK_USER(!reply.failed) << "board " << board_->host().text() << ": " << reply.failed->message;
  return static_cast<double>(reply.result.cycles);
}

FreeBoard::FreeBoard(const std::vector<RemoteFlags>& boards, const isa::Geometry& geometry,
                     double limit_seconds) {
  for (const RemoteFlags& board : boards)
    boards_.push_back(std::make_unique<BoardStation>(board, geometry, limit_seconds));
}

bool FreeBoard::acquire() {
  if (taken_) return true;
  for (const auto until = Clock::now() + kOthersSeconds;;) {
    own_ = nullptr;
    reason_.clear();
    bool held = false;
    for (const auto& board : boards_) {
      if (board->acquire()) {
        own_ = board.get();
        taken_ = own_->health() && own_->reset();
        if (!taken_) own_->release();
        return taken_;
      }
      held |= board->held();
      reason_ += (reason_.empty() ? "" : "; ") + board->reason();
    }
    if (!held || Clock::now() >= until) return false;
    std::this_thread::sleep_for(kPauseSeconds);
  }
}

void FreeBoard::release() {
  if (own_) own_->release();
  taken_ = false;
}

void measure_on_boards(const std::string& text, const isa::Geometry& geometry, const Context& context,
                       nlohmann::ordered_json& lost, tune::NetworkTuning::Options& how) {
  const std::vector<RemoteFlags> fleet = fleet_of(text);
  for (const RemoteFlags& board : fleet) how.fleet.push_back(board.board);
  how.board = [fleet, geometry, limit = how.limit_seconds](std::size_t i) {
    return std::make_unique<BoardStation>(fleet[i], geometry, limit);
  };
  how.lost = [&context, &lost](const std::string& board, const tune::Outcome& outcome) {
    const std::string reason = outcome.at("reason");
    context.say({reason + "; it is left out from here on, and its trial is repeated elsewhere"});
    lost.push_back({{"board", board}, {"reason", reason}});
  };
}

}  // namespace vdla::tools
