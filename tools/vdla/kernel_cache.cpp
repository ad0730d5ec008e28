// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/kernel_cache.h"

#include <cstdlib>
#include <filesystem>

namespace vdla::tools {

std::unique_ptr<Temporary> keep_no_kernels() {
  constexpr const char* kPoclCache = "POCL_CACHE_DIR";
  setenv("POCL_WORK_GROUP_METHOD", "auto", 0);
  if (std::getenv(kPoclCache) != nullptr) return nullptr;
  auto folder = std::make_unique<Temporary>(std::filesystem::temp_directory_path(), Temporary::Kind::Folder,
                                            "PoCL's compiled kernels");
  setenv(kPoclCache, folder->path().c_str(), 1);
  return folder;
}

}  // namespace vdla::tools
