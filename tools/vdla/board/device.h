// SPDX-License-Identifier: Apache-2.0
// The device that a command of `vdla board` talks to, or a post-mortem in its place.
#pragma once

#include <string>

#include "isa/spec/geometry.h"
#include "tools/vdla/devices/device_flags.h"

namespace vdla::tools {

struct BoardDeviceFlags : DeviceFlags {
  std::string variant, recorded;
  const CLI::Option* engine_option = nullptr;

  void add_to(CLI::App& command);
  /// Adds these, and --recorded: registers as a post-mortem has them.
  void add_to_reader(CLI::App& command);
  /// Requires that a device was named; the UserError says what to do without one.
  void require_device(const char* instead) const;
  /// Variant of the engine that is made.
  isa::Variant wanted_variant() const;
  /// Variant of --variant, or what the device says.
  isa::Variant variant_of(const kit::OpenDevice& device) const;
  /// For commands that ask --variant only which engine to make: UserError where a device is named.
  void refuse_variant_of_device() const;
  /// UserError says why the device cannot be had. An engine is made for the command and ends with it.
  kit::OpenDevice open(kit::UioUse use = kit::UioUse::Run) const;
};

}  // namespace vdla::tools
