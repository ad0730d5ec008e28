// SPDX-License-Identifier: Apache-2.0
// The variant of a device that says what it is, and the command that compiles for it.
#pragma once

#include <string>

#include "isa/spec/geometry.h"
#include "runtime/device/device_facts.h"

namespace vdla::kit {

/// The kit's variant of this geometry, or one that is called "device", with the clock that the device states.
/// What a device does not say (its memory's timing) is as in `paper`. UserError as runtime::geometry_of().
isa::Variant variant_of(const runtime::DeviceFacts& facts);

/// "vdla compile NETWORK --variant tiny": what makes a module that fits. `chosen` is how the command line
/// names the device: "--uio vdla", "--board board.lab --certificates lab"; empty: it does not. Empty where no
/// command of this kit does.
std::string command_that_fits(const runtime::DeviceFacts& facts, const std::string& chosen);

}  // namespace vdla::kit
