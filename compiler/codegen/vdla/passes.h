// SPDX-License-Identifier: Apache-2.0
// The functions of the passes over the stream, declared by the list: a pass needs no header of its own. What
// each does stands at the top of its source, what it needs and leaves at its function there.
#pragma once

#include "compiler/codegen/vdla/pass_list.h"
#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

#define VDLA_DECLARE(id, name, shows, run, ...) void run(Stream& stream);
VDLA_STREAM_PASSES(VDLA_DECLARE)
#undef VDLA_DECLARE

}  // namespace vdla::codegen
