// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/module/tensor.h"

namespace vdla::runtime {

inline constexpr std::size_t kMaxSectionName = 24;

/// A named part of a module file (runtime/container/container.h).
struct Section {
  std::string name;       ///< 1 to kMaxSectionName of a-z, 0-9 and '-'
  bool required = false;  ///< a reader that does not know it must refuse the file
  Bytes bytes;
  bool operator==(const Section&) const = default;
};

}  // namespace vdla::runtime
