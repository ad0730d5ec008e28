// SPDX-License-Identifier: Apache-2.0
// A module with one device step, for the runtime's tests.
#pragma once

#include "runtime/module/module.h"

namespace vdla::runtime {

/// Variant tiny. Twice the input: x (1x1x2x3 int8) -> y, layer 'double' (conv2d) over one product per pixel
/// and one copy; pixels are micro-ops.
Module doubling_module();

/// Its program, for faults to be put in. Instructions 0 to 2: loads of inp, wgt, uop; 3: gemm; 4: vector; 5:
/// store; 6: finish.
isa::Program& program_of(Module& module);

}  // namespace vdla::runtime
