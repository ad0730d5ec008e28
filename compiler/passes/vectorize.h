// SPDX-License-Identifier: Apache-2.0
// Vectorisation: what is left of kind vectorized has as many iterations as lanes, which run at once, each
// statement for all of them before the next. Lanes are the largest power of two that divides the extent, 64
// at most; a longer loop becomes a serial one around. Such a loop is moved into loops, conditions and
// sequences that do not depend on it, towards the stores.
//
// A loop becomes serial where lanes could change the result or cannot be expressed: where its body allocates
// or calls an intrinsic, where its bounds or those of a loop inside are read from memory or differ between
// the iterations, and where an iteration could see what another one stored. For that, all accesses of a
// buffer that is written must move alike with the loop, by a step that keeps the lanes apart.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func vectorize(const loop::Func& func);

}  // namespace vdla::passes
