// SPDX-License-Identifier: Apache-2.0
// --waves-last of vdla run: waveforms of the cycles before a failure, by a second run.
#pragma once

#include <vector>

#include "kit/session.h"
#include "runtime/device/device_error.h"
#include "tools/vdla/run/waves.h"

namespace vdla::tools {

/// Repeats a run that `failed` on `session`, an RTL engine, up to its end and keeps the last cycles of it.
/// Nothing happens where the end is not known: the device could not be read. UserError as sim::WaveWindow
/// says.
void write_last_waves(const WaveFlags& flags, const kit::Session& session, kit::SessionOptions options,
                      const std::vector<runtime::Bytes>& inputs, const runtime::DeviceError& failed);

}  // namespace vdla::tools
