// SPDX-License-Identifier: Apache-2.0
#include "kit/prefix.h"
#include "support/path.h"

namespace vdla::kit {

std::filesystem::path prefix() { return program_path().parent_path().parent_path(); }

}  // namespace vdla::kit
