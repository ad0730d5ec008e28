// SPDX-License-Identifier: Apache-2.0
// vdla info --device: what a device says of itself.
#pragma once

#include <string>

#include "tools/vdla/board/device.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

struct InfoDeviceFlags {
  bool wanted = false;
  std::string output;
  BoardDeviceFlags device;

  /// --device, and what chooses one.
  CLI::Option* add_to(CLI::App& command);
  /// UserError for flags that choose a device, where none is asked for.
  void refuse_others() const;
};

/// Status 1 where the device is none that this kit can compile for.
void info_device(const InfoDeviceFlags& flags, const Context& context);

}  // namespace vdla::tools
