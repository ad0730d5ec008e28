// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/version.h"

#include "isa/spec/version.h"
#include "tools/vdla/common/commit.h"

namespace vdla::tools {

std::string version_text() {
  const std::string commit = VDLA_COMMIT;
  return "vdla " VDLA_VERSION + (commit.empty() ? "" : " (commit " + commit + ")") +
         ", instruction set version " + std::to_string(isa::kIsaVersion) + ", " VDLA_BUILD_TYPE " build";
}

}  // namespace vdla::tools
