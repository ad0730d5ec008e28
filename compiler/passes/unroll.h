// SPDX-License-Identifier: Apache-2.0
// Unrolling: a loop of kind unrolled becomes its body, once for each iteration.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func unroll(const loop::Func& func);

}  // namespace vdla::passes
