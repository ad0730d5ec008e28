// SPDX-License-Identifier: Apache-2.0
// The RTL libraries that come with the kit, in the build folder.
#pragma once

#include "sim/rtl/options.h"

namespace vdla::sim {

inline RtlOptions built_rtl(RtlBuild build = RtlBuild::Fast) {
  return {.build = build, .directory = VDLA_BINARY_DIR "/lib/vdla/rtl"};
}

}  // namespace vdla::sim
