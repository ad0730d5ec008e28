// SPDX-License-Identifier: Apache-2.0
// Exceptions of devices that fail.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "driver/core/device.h"
#include "support/error.h"

namespace vdla::runtime {

struct PostMortem;  // runtime/device/post_mortem.h

/// The device, or the way to it, failed; the message is the driver's.
class DeviceError : public UserError {
 public:
  DeviceError(vdla_driver_status status, const std::string& message,
              std::shared_ptr<const PostMortem> post_mortem = nullptr)
      : UserError(message), status_(status), post_mortem_(std::move(post_mortem)) {}
  vdla_driver_status status() const { return status_; }
  /// State of the device when a run failed; null when none was started or it could not be read.
  const PostMortem* post_mortem() const { return post_mortem_.get(); }

 private:
  vdla_driver_status status_;
  std::shared_ptr<const PostMortem> post_mortem_;
};

/// Throws DeviceError with the device's sentence unless the call went well.
void check_status(const vdla_device& device, vdla_driver_status status);
/// Checks a call of the transport itself: "the transport failed to read device memory: ...".
void check_transport(const vdla_transport& transport, int result, const char* what);

}  // namespace vdla::runtime
