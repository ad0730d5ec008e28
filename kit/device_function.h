// SPDX-License-Identifier: Apache-2.0
// A function that no network has, on the device: a tensor expression of the program's own, scheduled and
// lowered, becomes a module that sessions run as any other.
//
//   loop::Func func = lower::lower(s, {a, b, c}, "matmul");
//   kit::Session session(kit::device_module(func, variant), "rtl");
//   runtime::Result result = session.run({a_bytes, b_bytes});
#pragma once

#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/stmt.h"
#include "runtime/module/module.h"

namespace vdla::kit {

/// Inputs and outputs of the module are the function's parameters, each in its order, dense, of I8 or I32.
/// The device's table of lowering (compiler/pipeline/kernels.h) goes over the function; what that may leave
/// is in compiler/codegen/vdla/segment.h. `own`: intrinsics that the program declares, beside the device's.
/// UserError where the device cannot, or where the instructions are not proven right.
runtime::Module device_module(const loop::Func& func, const isa::Variant& variant,
                              const std::vector<intrinsics::Intrinsic>& own = {});

}  // namespace vdla::kit
