// SPDX-License-Identifier: Apache-2.0
// The first pass over the stream: functions become instructions. Their loops are run as far as no instruction
// can, and each run through an allocation is an instance from its first use on to the last statement of its
// block that uses it.
#pragma once

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Leaves no call. UserError for a function that the device has no instructions for, naming the layer.
void expand(Stream& stream);

}  // namespace vdla::codegen
