// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <filesystem>

#include "kit/prefix.h"

namespace vdla::kit {

/// The folder around this library that has bin/vdla.
std::filesystem::path prefix() {
  Dl_info about{};
  if (dladdr(reinterpret_cast<const void*>(&prefix), &about) == 0) return {};
  std::error_code none;
  std::filesystem::path folder = std::filesystem::canonical(about.dli_fname, none).parent_path();
  while (folder.has_relative_path() && !std::filesystem::exists(folder / "bin/vdla", none))
    folder = folder.parent_path();
  return folder;
}

}  // namespace vdla::kit
