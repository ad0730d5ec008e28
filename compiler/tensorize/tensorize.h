// SPDX-License-Identifier: Apache-2.0
// The pass: every loop::Tensorize statement becomes an IntrinsicCall, or a UserError says why not.
#pragma once

#include <span>

#include "compiler/loop/stmt.h"
#include "compiler/tensorize/intrinsic.h"

namespace vdla::tensorize {

loop::Func tensorize(const loop::Func& func, std::span<const Intrinsic> table);

}  // namespace vdla::tensorize
