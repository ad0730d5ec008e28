// SPDX-License-Identifier: Apache-2.0
// A perfect loop nest around one store, taken apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::tensorize {

struct NestLoop {
  loop::VarPtr var;
  std::int64_t extent;
};

/// Loops start at 0; those of extent 1 are gone, their variable replaced by 0.
struct Nest {
  std::vector<NestLoop> loops;
  std::vector<loop::ExprPtr> conditions;     ///< conditions of the ifs between the loops and the store
  std::shared_ptr<const loop::Stmt> holder;  ///< keeps `store` alive
  const loop::Store* store = nullptr;
};

/// Nothing, and a reason, where the statement is not such a nest.
std::optional<Nest> take_nest(const loop::StmtPtr& s, std::string& reason);

}  // namespace vdla::tensorize
