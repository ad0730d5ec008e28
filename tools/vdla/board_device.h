// SPDX-License-Identifier: Apache-2.0
// The device that a command of `vdla board` talks to: that of the machine it runs on, or an engine in its
// place.
#pragma once

#include <memory>
#include <string>

#include "driver/sim/sim_transport.h"
#include "driver/uio/uio.h"
#include "isa/spec/geometry.h"
#include "tools/vdla/engine_flags.h"

namespace vdla::tools {

struct BoardDeviceFlags {
  std::string variant, uio, udmabuf;
  EngineFlags engine;

  void add_to(CLI::App& command);
};

class BoardDevice {
 public:
  /// Takes the device for this process. UserError says why it cannot be had.
  BoardDevice(const BoardDeviceFlags& flags, const isa::Variant& variant);

  const vdla_transport* transport() const { return transport_; }
  /// "engine rtl, tiny", "UIO device vdla"
  const std::string& name() const { return name_; }

 private:
  struct CloseUio {
    void operator()(vdla_uio* uio) const { vdla_uio_close(uio); }
  };
  std::unique_ptr<sim::Engine> engine_;
  std::unique_ptr<driver::SimTransport> sim_;
  std::unique_ptr<vdla_uio, CloseUio> uio_;
  const vdla_transport* transport_ = nullptr;
  std::string name_;
};

}  // namespace vdla::tools
