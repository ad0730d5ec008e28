// SPDX-License-Identifier: Apache-2.0
// Interface of the device that a server offers. Calls come one after the other, on any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/core/transport.h"
#include "runtime/device/device_facts.h"
#include "runtime/session/session.h"
#include "tools/remote/messages.h"

namespace vdla::remote {

/// Text for a desk about memory that cannot be had.
inline constexpr const char* kNoMemory =
    "what the module asks for does not fit the memory of the board's server";

/// A module on the device. With it goes what it has there, and the device is reset.
class Loaded {
 public:
  virtual ~Loaded() = default;
  /// As runtime::Session::run_model() says, states as in the first run; `failed` where the device did not
  /// finish. Without the timeline.
  virtual RunReply run(const std::vector<runtime::Bytes>& inputs) = 0;
  /// Trace Event JSON of the runs so far, at the end of them.
  virtual std::string timeline() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  /// Without lease and hooks.
  virtual Facts facts() = 0;
  /// `why` is asked during runs (StoppableTransport). UserError where the module cannot run here.
  virtual std::unique_ptr<Loaded> load(runtime::Module module, const RunOptions& options,
                                       std::function<std::string()> why) = 0;
  /// The way to the device itself, while no module is loaded and until detach(). UserError where there is
  /// none.
  virtual const vdla_transport* attach() = 0;
  virtual void detach() = 0;
};

/// A device that leases have one after the other.
class LeasedDevice {
 public:
  virtual ~LeasedDevice() = default;
  /// As Device says; a module comes as its file.
  virtual Facts facts() = 0;
  virtual std::unique_ptr<Loaded> load(const runtime::Bytes& file, const RunOptions& options,
                                       std::function<std::string()> why) = 0;
  virtual const vdla_transport* attach() = 0;
  virtual void detach() = 0;
  /// Text of what a lease did that ended its device; empty: nothing. From there on calls fail until renew().
  virtual std::string broken() = 0;
  /// The device for the next lease: nothing of the last one is left. UserError where it does not come back.
  virtual void renew() = 0;
  /// Lets go of the device, does `work`, and takes it again, probed and reset. UserError where it does not
  /// come back.
  virtual void reopen(const std::function<void()>& work) = 0;
};

/// Looks whether a device answers, resets it, and reads what it says of itself. UserError with its name.
runtime::DeviceFacts begin_with(const vdla_transport& transport, const std::string& name);

}  // namespace vdla::remote
