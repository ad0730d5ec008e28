// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/kernel_cache.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "support/error.h"

namespace vdla::tools {

void take_barriers_in_loops() { setenv("POCL_WORK_GROUP_METHOD", "loopvec", 0); }

std::unique_ptr<Temporary> keep_no_kernels() {
  constexpr const char* kPoclCache = "POCL_CACHE_DIR";
  take_barriers_in_loops();
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
