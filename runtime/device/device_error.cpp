// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device_error.h"

#include <fmt/format.h>

namespace vdla::runtime {

void check_status(const vdla_device& device, vdla_driver_status status) {
  if (status != VDLA_DRIVER_OK) throw DeviceError(status, device.message);
}

void check_transport(const vdla_transport& transport, int result, const char* what) {
  if (result == 0) return;
  throw DeviceError(VDLA_DRIVER_TRANSPORT, fmt::format("the transport failed to {}: {}", what,
                                                       transport.last_error(transport.context)));
}

}  // namespace vdla::runtime
