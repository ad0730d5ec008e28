// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/kernel_cache.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "support/error.h"

namespace vdla::tools {

std::unique_ptr<Temporary> keep_no_kernels() {
  constexpr const char* kPoclCache = "POCL_CACHE_DIR";
  if (std::getenv(kPoclCache) != nullptr) return nullptr;
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  VDLA_CHECK_USER(!error) << "no folder for PoCL's compiled kernels: " << error.message()
                          << "; set TMPDIR to a folder that can be written, or POCL_CACHE_DIR";
  auto folder = std::make_unique<Temporary>(
      temporary, Temporary::Kind::Folder,
      "folder for PoCL's compiled kernels in TMPDIR ('" + temporary.string() + "')");
  setenv(kPoclCache, folder->path().c_str(), 1);
  return folder;
}

}  // namespace vdla::tools
