// SPDX-License-Identifier: Apache-2.0
// The pass: every loop::Tensorize statement becomes an IntrinsicCall, or a UserError says why not.
#pragma once

#include <span>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/stmt.h"

namespace vdla::tensorize {

loop::Func tensorize(const loop::Func& func, std::span<const intrinsics::Intrinsic> table);

}  // namespace vdla::tensorize
