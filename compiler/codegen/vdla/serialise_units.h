// SPDX-License-Identifier: Apache-2.0
// For comparison (`vdla compile --no-latency-hiding`): each instruction waits for the one in front of it, so
// that one unit works at a time and nothing hides the latency of anything else.
#pragma once

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Adds to StreamInsn::after.
void serialise_units(Stream& stream);

}  // namespace vdla::codegen
