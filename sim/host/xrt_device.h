// SPDX-License-Identifier: Apache-2.0
// An engine as the card of XRT's emulation (hw_emu): the other end of the socket over which the emulation
// reaches the simulator of a design. Messages are those that XRT's library describes itself by, in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "sim/host/attached_engine.h"
#include "sim/host/connection.h"
#include "sim/memory.h"

namespace vdla::sim {

class XrtDevice {
 public:
  /// Address of the registers on the card's bus: v++ puts those of a first kernel there.
  static constexpr std::uint64_t kRegistersBase = 0x180'0000, kRegistersBytes = 4096;

  /// `library` is libxrt_hwemu.so, `memory` the card's. UserError: the library has no such messages.
  XrtDevice(const std::filesystem::path& library, const MemorySegment& memory, AttachedEngine& engine);
  ~XrtDevice();
  XrtDevice(const XrtDevice&) = delete;
  XrtDevice& operator=(const XrtDevice&) = delete;

  /// Takes what has come and answers the calls that are whole; whether there was one. UserError when XRT has
  /// closed its end, sends what is no call of these messages, or one that leaves registers or memory.
  bool serve(Connection& connection);
  /// The process that had the card has closed its end, maybe in the middle of a call: another one may come.
  void forget_call() { received_.clear(); }

 private:
  class Messages;

  std::string answer(std::uint32_t call, const std::string& request);

  std::unique_ptr<Messages> messages_;
  MemorySegment memory_;
  AttachedEngine& engine_;
  std::string received_;  ///< not yet answered
};

}  // namespace vdla::sim
