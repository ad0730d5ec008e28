// SPDX-License-Identifier: Apache-2.0
// Variables of the environment for drivers of OpenCL.
#pragma once

#include <memory>

#include "support/temporary.h"

namespace vdla::tools {

/// PoCL keeps what it has compiled, below the home folder; a check has no use for that: it goes with the
/// result. Null where the environment says where to keep kernels.
std::unique_ptr<Temporary> keep_no_kernels();

}  // namespace vdla::tools
