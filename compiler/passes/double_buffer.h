// SPDX-License-Identifier: Apache-2.0
// Double buffering. In a loop whose body fills a buffer marked 'double' and then reads it, the buffer gets
// two halves, and the loop fills one half for the next iteration before it reads the other: on a machine that
// copies in the background the two overlap. A buffer stays single, and its mark goes, where filling it early
// could read or overwrite what the rest of the body uses.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func double_buffer(const loop::Func& func);

}  // namespace vdla::passes
