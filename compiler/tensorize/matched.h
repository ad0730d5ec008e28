// SPDX-License-Identifier: Apache-2.0
// Result of matching a loop nest.
#pragma once

#include <string>

#include "compiler/loop/stmt.h"

namespace vdla::tensorize {

/// The call that replaces the nest, or the reason why not: which operand or subexpression, what was expected,
/// what was seen.
struct Match {
  loop::StmtPtr call;  ///< null when it does not match
  std::string reason;
};

}  // namespace vdla::tensorize
