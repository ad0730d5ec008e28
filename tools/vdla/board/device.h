// SPDX-License-Identifier: Apache-2.0
// The device that a command of `vdla board` talks to: that of the machine it runs on, or an engine in its
// place.
#pragma once

#include <memory>
#include <string>

#include "driver/remote/remote_transport.h"
#include "driver/sim/sim_transport.h"
#include "isa/spec/geometry.h"
#include "tools/common/engine_flags.h"
#include "tools/vdla/devices/post_mortem_folder.h"
#include "tools/vdla/devices/remote_session.h"
#include "tools/vdla/devices/uio_flags.h"
#include "tools/vdla/devices/xrt_flags.h"

namespace vdla::tools {

struct BoardDeviceFlags {
  std::string variant, recorded;
  EngineFlags engine;
  UioFlags uio;
  XrtFlags xrt;
  RemoteFlags remote;
  const CLI::Option* engine_option = nullptr;

  void add_to(CLI::App& command);
  /// Whether a device of this machine was chosen, no engine.
  bool own() const { return uio.given() || xrt.given(); }
  /// Adds these, and --recorded: registers as a post-mortem has them.
  void add_to_reader(CLI::App& command);
  /// And --board HOST: a device elsewhere (vdla board serve).
  CLI::Option* add_remote_to(CLI::App& command);
  /// Requires that a device was named; the UserError says what to do without one.
  void require_device(const char* instead) const;
  isa::Variant wanted_variant() const;
  /// For commands that ask --variant only which engine to make: UserError where a device is named.
  void refuse_variant_of_device() const;
};

/// DMA memory that a device has.
struct MemoryOfDevice {
  std::uint64_t first = 0, bytes = 0;
  unsigned address_bits = 0;  ///< bits that its port has; 0: 64
  unsigned cache_line = 0;    ///< bytes of a line of the CPU's caches before it; 0: none
};

class BoardDevice {
 public:
  /// UserError says why the device cannot be had. An engine is made for the command and ends with it.
  explicit BoardDevice(const BoardDeviceFlags& flags, kit::UioUse use = kit::UioUse::Run);

  const vdla_transport* transport() const { return transport_; }
  /// "engine rtl, tiny", "UIO device vdla"
  const std::string& name() const { return name_; }
  MemoryOfDevice memory() const;
  /// Variant of --variant, or what the device says.
  isa::Variant variant() const;

 private:
  std::string wanted_variant_;
  std::unique_ptr<sim::Engine> engine_;
  std::unique_ptr<driver::SimTransport> sim_;
  std::unique_ptr<kit::UioDevice> uio_;
  std::unique_ptr<kit::XrtDevice> xrt_;
  std::unique_ptr<RemoteBoard> board_;
  std::unique_ptr<driver::RemoteTransport> remote_;
  PostMortemFolder post_mortem_;
  std::unique_ptr<runtime::RecordedDevice> recorded_;
  const vdla_transport* transport_ = nullptr;
  std::string name_;
};

}  // namespace vdla::tools
