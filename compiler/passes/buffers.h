// SPDX-License-Identifier: Apache-2.0
// What statements read and write, and putting other buffers in the place of theirs. Private to this folder.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_map>

#include "compiler/loop/stmt.h"

namespace vdla::passes {

struct Accesses {
  std::set<const loop::Buffer*> reads, writes;
};
/// Of a statement and all inside. Outputs of an intrinsic count as read, too: it may accumulate.
Accesses accesses_of(const loop::StmtPtr& s);

/// Whether `first` and `second` may change places: neither writes what the other one touches.
bool independent(const Accesses& first, const Accesses& second);

/// Of the buffers that are allocated and the loops; of a function its parameters, too.
std::set<std::string> names_of(const loop::StmtPtr& s);
std::set<std::string> names_of(const loop::Func& func);

/// An access of the old buffer at `indices` becomes one of `buffer` at `map(indices)`. Regions of intrinsics
/// keep extents and strides, so element strides inside of a region must stay what they were.
struct Replacement {
  loop::BufferPtr buffer;
  std::function<std::vector<loop::ExprPtr>(const std::vector<loop::ExprPtr>&)> map;
};
using Replacements = std::unordered_map<const loop::Buffer*, Replacement>;
/// Allocations stay.
loop::StmtPtr replace_buffers(const loop::StmtPtr& s, const Replacements& replacements);

/// The element offset as the only index.
std::vector<loop::ExprPtr> flat_index(const loop::Buffer& buffer, const std::vector<loop::ExprPtr>& indices);

}  // namespace vdla::passes
