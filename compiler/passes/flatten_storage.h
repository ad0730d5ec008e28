// SPDX-License-Identifier: Apache-2.0
// Storage flattening: every buffer becomes one-dimensional, with the element offset (the sum of index times
// stride) as its index. Parameters keep their place and size in memory. 'simplify' behind it sees an address
// whole: i.o * 4 + i.i of one loop, in two dimensions, becomes i.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func flatten_storage(const loop::Func& func);

}  // namespace vdla::passes
