// SPDX-License-Identifier: Apache-2.0
// A board elsewhere as a place where the tuner times programs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/spec/geometry.h"
#include "tools/tune/network_tuning.h"
#include "tools/tune/station.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/devices/remote_session.h"

namespace vdla::tools {

class BoardStation final : public tune::Station {
 public:
  /// Station at boards with this machine. A run may take `limit_seconds`.
  BoardStation(RemoteFlags board, const isa::Geometry& geometry, double limit_seconds);

  bool acquire() override;
  bool health() override;
  bool reset() override;
  void release() override;
  std::string reason() const override { return reason_; }
  bool broken() const override { return broken_; }
  std::string engine() const override { return board_->facts().device; }
  double cycles(const runtime::Module& module) override;

  /// Whether acquire() failed since another desk has the board.
  bool held() const { return held_; }

 private:
  bool acquire_once();
  bool holds(const std::function<void()>& body);

  RemoteFlags flags_;
  const isa::Geometry geometry_;
  std::optional<RemoteBoard> board_;
  std::string token_, reason_;
  bool held_ = false, broken_ = false, was_released_ = false;
};

/// Any one of several boards that is free when it is taken, or is so in a while; it is looked at and reset
/// before it is used.
class FreeBoard final : public tune::Station {
 public:
  FreeBoard(const std::vector<RemoteFlags>& boards, const isa::Geometry& geometry, double limit_seconds);

  bool acquire() override;
  bool health() override { return own_ && own_->health(); }
  bool reset() override { return own_ && own_->reset(); }
  void release() override;
  std::string reason() const override { return own_ ? own_->reason() : reason_; }
  bool broken() const override { return own_ && own_->broken(); }
  std::string engine() const override { return own_->engine(); }
  double cycles(const runtime::Module& module) override { return own_->cycles(module); }

 private:
  std::vector<std::unique_ptr<BoardStation>> boards_;
  BoardStation* own_ = nullptr;  ///< the one that was taken last
  bool taken_ = false;
  std::string reason_;
};

/// Measures on the boards of `fleet` (--fleet) in place of engines here. The connection to one is the
/// business of the process that measures there. One that is lost is noted, and a row of `lost`, which must
/// outlive `how`.
void measure_on_boards(const std::string& fleet, const isa::Geometry& geometry, const Context& context,
                       nlohmann::ordered_json& lost, tune::NetworkTuning::Options& how);

}  // namespace vdla::tools
