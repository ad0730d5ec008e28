// SPDX-License-Identifier: Apache-2.0
// The device of a board's programs: the board's own, or the functional engine in its place.
#pragma once

#include <string>

#include "isa/spec/geometry.h"
#include "kit/device.h"
#include "kit/uio_device.h"

namespace vdla::runner {

struct DeviceChoice {
  kit::UioOptions uio{.udmabuf = "", .root = "", .reset_by_signals = true};
  std::string engine;  ///< "functional" in its place
};

/// Takes the device for this process, unless it is to be looked at. UserError says why it cannot be had.
/// `variant` is an engine's.
kit::OpenDevice open(const DeviceChoice& choice, const isa::Variant& variant);

}  // namespace vdla::runner
