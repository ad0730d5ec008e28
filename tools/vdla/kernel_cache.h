// SPDX-License-Identifier: Apache-2.0
// Where drivers of OpenCL keep what they have compiled.
#pragma once

#include <memory>

#include "support/temporary.h"

namespace vdla::tools {

/// PoCL keeps what it has compiled, below the home folder where nobody says otherwise; a check has no use for
/// that: it goes with the result. Null where somebody says otherwise.
std::unique_ptr<Temporary> keep_no_kernels();

}  // namespace vdla::tools
