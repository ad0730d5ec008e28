// SPDX-License-Identifier: Apache-2.0
// The device of a board's programs: the board's own, or an engine in its place.
#pragma once

#include <memory>
#include <string>

#include "driver/sim/sim_transport.h"
#include "driver/uio/uio.h"
#include "isa/spec/geometry.h"

namespace vdla::runner {

struct DeviceChoice {
  std::string uio = "vdla", udmabuf;
  std::string engine;  ///< "functional" in its place
  bool look = false;   ///< the device is only looked at: not reset, and another process may have it
};

class BoardOrEngine {
 public:
  /// Takes the device for this process (unless it is to be looked at); it is reset where a signal ends that.
  /// UserError says why it cannot be had. `variant` is an engine's.
  BoardOrEngine(const DeviceChoice& choice, const isa::Variant& variant);

  const vdla_transport* transport() const { return transport_; }
  /// Engine of the device; null where it is none.
  const sim::Engine* engine() const { return engine_.get(); }
  const std::string& name() const { return name_; }
  bool has_time() const { return uio_ != nullptr; }

 private:
  struct Close {
    void operator()(vdla_uio* uio) const { vdla_uio_close(uio); }
  };
  std::unique_ptr<vdla_uio, Close> uio_;
  std::unique_ptr<sim::Engine> engine_;
  std::unique_ptr<driver::SimTransport> sim_;
  const vdla_transport* transport_ = nullptr;
  std::string name_;
};

}  // namespace vdla::runner
