// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"

namespace vdla::detail {

std::string internal_prefix(const char* file, int line, const char* condition) {
  std::string path = file;
  if (const auto slash = path.find_last_of('/'); slash != std::string::npos) path = path.substr(slash + 1);
  return path + ":" + std::to_string(line) + ": check failed: " + condition + ": ";
}

}  // namespace vdla::detail
