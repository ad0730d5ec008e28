// SPDX-License-Identifier: Apache-2.0
// Putting other buffers in the place of those that statements read and write.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::loop {

/// An access of the old buffer at `indices` becomes one of `buffer` at `map(indices)`. Regions of intrinsics
/// keep extents and strides, so element strides inside of a region must stay what they were.
struct Replacement {
  BufferPtr buffer;
  std::function<std::vector<ExprPtr>(const std::vector<ExprPtr>&)> map;
};
using Replacements = std::unordered_map<const Buffer*, Replacement>;
/// Allocations stay.
StmtPtr replace_buffers(const StmtPtr& s, const Replacements& replacements);

}  // namespace vdla::loop
