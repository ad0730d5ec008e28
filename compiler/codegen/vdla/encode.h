// SPDX-License-Identifier: Apache-2.0
// The stream that the last pass leaves becomes the instructions of a program.
#pragma once

#include "compiler/codegen/vdla/stream.h"
#include "isa/program/program.h"

namespace vdla::codegen {

/// Adds instructions (FINISH at the end), micro-kernels and the source map. UserError for what a pass should
/// have removed from the stream, naming the pass.
void encode(Stream stream, isa::Program& program);

}  // namespace vdla::codegen
