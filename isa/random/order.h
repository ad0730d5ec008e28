// SPDX-License-Identifier: Apache-2.0
// Tokens for a stream that has none: every conflict between units is ordered as the program is written.
#pragma once

#include <vector>

#include "isa/program/program.h"
#include "isa/random/draw.h"

namespace vdla::isa {

/// Sets pop and push of every instruction. About every `redundant`-th instruction also takes tokens that it
/// does not need (0: none). False when the tokens do not fit the geometry's queues and channels (the program
/// would stand still).
bool order_by_tokens(Program& program, Draw& draw, unsigned redundant);

}  // namespace vdla::isa
