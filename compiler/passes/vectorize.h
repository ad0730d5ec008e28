// SPDX-License-Identifier: Apache-2.0
// Vectorisation: a vectorized loop belongs around stores, where a code generator can turn it into vector
// instructions. It is moved into loops, conditions and sequences that do not depend on it (its iterations are
// independent), and becomes serial where its body allocates or calls an intrinsic.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func vectorize(const loop::Func& func);

}  // namespace vdla::passes
