// SPDX-License-Identifier: Apache-2.0
// For comparison (`vdla compile --no-rotation`): each instance must lie in the first entries that are free,
// so that a tile lies where the one before it lay and waits for it. Virtual threads, whose tiles live at the
// same time, have places of their own, those of acc in different banks as far as there are banks.
#pragma once

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Instances for which there is no room stay without an entry: place-sram says what is missing.
void pin_tiles(Stream& stream);

}  // namespace vdla::codegen
