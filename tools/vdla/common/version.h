// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace vdla::tools {

/// "vdla 0.2.0 (commit 0123abcd), instruction set 2, Release"
std::string version_text();

}  // namespace vdla::tools
