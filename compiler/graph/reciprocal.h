// SPDX-License-Identifier: Apache-2.0
// The fixed-point quotient of softmax, as the reference kernels compute it.
#pragma once

#include "compiler/expr/dsl.h"

namespace vdla::graph::parts {

/// 1 / (1 + a) for a in [0, 1), both Q0.31: three Newton steps from a linear guess, in Q2.29.
expr::Value reciprocal_of_one_plus(const expr::Value& a);

}  // namespace vdla::graph::parts
