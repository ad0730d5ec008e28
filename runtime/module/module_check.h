// SPDX-License-Identifier: Apache-2.0
// Rules for every module that is loaded, saved or run.
#pragma once

#include "runtime/module/module.h"

namespace vdla::runtime {

/// Throws UserError naming the part and the fault:
///  * an index out of range, a constant of the wrong size, a layout that does not fit;
///  * an argument that is not what its kernel touches, types that do not convert;
///  * a tensor that is read before it is written;
///  * a tensor without elements on the device. On the host it is legal where a kernel declares to touch no
///    byte of it; a step all of whose results are empty is not run.
/// What passes cannot make the runtime leave its memory, as long as kernels do as they declare. An
/// interpreter holds them to it (SessionOptions::interpret); machine code is trusted.
void check(const Module& module);

}  // namespace vdla::runtime
