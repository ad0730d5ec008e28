// SPDX-License-Identifier: Apache-2.0
// The variant of a device that says what it is, and the command that compiles for it.
#pragma once

#include <string>

#include "isa/spec/geometry.h"
#include "runtime/device/device_facts.h"

namespace vdla::kit {

/// The kit's variant of this geometry, or one that is called "device", with the clock that the device states.
/// Numbers that a device does not state (its memory's timing) are those of `paper`. UserError as
/// runtime::geometry_of().
isa::Variant variant_of(const runtime::DeviceFacts& facts);

/// Returns the command that compiles a module for the device, "vdla compile NETWORK --variant tiny"; empty
/// where no command does. `chosen`: the options that name the device, "--uio vdla" or "--board board.lab
/// --certificates lab", or empty.
std::string command_that_fits(const runtime::DeviceFacts& facts, const std::string& chosen);

}  // namespace vdla::kit
