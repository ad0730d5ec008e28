// SPDX-License-Identifier: Apache-2.0
// The library that has gRPC (grpc/), loaded when it is needed.
#pragma once

#include <filesystem>

#include "tools/remote/interface.h"

namespace vdla::remote {

/// From lib/vdla of the kit at `prefix`; stays loaded. UserError names the packages where this kit was built
/// without.
Library& load_library(const std::filesystem::path& prefix);

}  // namespace vdla::remote
