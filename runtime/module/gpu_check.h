// SPDX-License-Identifier: Apache-2.0
// Rules of check() (runtime/module/module_check.h) for a module's programs of GPUs: a driver gets nothing
// that could make it leave its buffers but the kernels themselves. Internal to the runtime.
#pragma once

#include "runtime/module/module.h"

namespace vdla::runtime {

/// UserError that names segment, launch and buffer. Which tensors have a value by then is for check().
void check_gpu(const Module& module);

}  // namespace vdla::runtime
