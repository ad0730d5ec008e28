// SPDX-License-Identifier: Apache-2.0
// Reads and writes of statements. Private to this folder.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::passes {

struct Accesses {
  std::set<const loop::Buffer*> reads, writes;
};
/// Accesses of a statement and all inside. Outputs of an intrinsic count as read, too: it may accumulate.
Accesses accesses_of(const loop::StmtPtr& s);

/// Names of the buffers that are allocated and the loops; of a function its parameters, too.
std::set<std::string> names_of(const loop::StmtPtr& s);
std::set<std::string> names_of(const loop::Func& func);

/// The element offset as the only index.
std::vector<loop::ExprPtr> flat_index(const loop::Buffer& buffer, const std::vector<loop::ExprPtr>& indices);

}  // namespace vdla::passes
