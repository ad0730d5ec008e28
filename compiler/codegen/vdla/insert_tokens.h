// SPDX-License-Identifier: Apache-2.0
// Dependence tokens for what instructions wait for, in one pass: less what other tokens already order, and
// never more in flight than a channel holds.
#pragma once

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Sets pop and push of every instruction and leaves no wait. Channels never hold more than token_depth
/// tokens when the stream runs in program order, so that order is one that the machine can always take: the
/// stream is free of deadlock for every queue depth.
void insert_tokens(Stream& stream);

}  // namespace vdla::codegen
