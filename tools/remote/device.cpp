// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/device.h"

#include "driver/core/device.h"
#include "support/error.h"

namespace vdla::remote {

runtime::DeviceFacts begin_with(const vdla_transport& transport, const std::string& name) {
  vdla_device device{};
  const auto call = [&](vdla_driver_status status) {
    VDLA_CHECK_USER(status == VDLA_DRIVER_OK) << name << ": " << device.message;
  };
  call(vdla_probe(&device, &transport));
  call(vdla_reset(&device));
  return runtime::read_facts(transport);
}

}  // namespace vdla::remote
