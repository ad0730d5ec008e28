// SPDX-License-Identifier: Apache-2.0
#include "kit/prefix.h"

namespace vdla::kit {

std::filesystem::path prefix() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).parent_path().parent_path();
}

}  // namespace vdla::kit
