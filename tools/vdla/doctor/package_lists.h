// SPDX-License-Identifier: Apache-2.0
// The lists under scripts/packages.
#pragma once

#include <span>
#include <string_view>

namespace vdla::tools {

struct PackageList {
  std::string_view name, use;
  std::string_view packages;  ///< with spaces between them
};

extern const std::span<const PackageList> kPackageLists;

}  // namespace vdla::tools
