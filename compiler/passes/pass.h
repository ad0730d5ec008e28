// SPDX-License-Identifier: Apache-2.0
// Passes over loop IR. A pass is one function from a function to a function of the same meaning; one source,
// one text test, one row in compiler/passes/list.h. Which passes a compile runs, and what it relies on after
// each, is in compiler/passes/target.h.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::passes {

struct Pass {
  std::string_view name;
  std::function<loop::Func(const loop::Func&)> run;
  std::string_view doc;  ///< one line: what it does and why one wants it
};

/// Called with each pass that has run, and its result.
using Observer = std::function<void(const Pass&, const loop::Func&)>;

/// Passes in the order of the list.
std::span<const Pass> all_passes();

/// Throws UserError that lists the names for one that is none of them.
const Pass& find_pass(std::string_view name);

/// Runs a pass over a function that loop::verify() takes, and verifies the result with loop::verify_result().
loop::Func run_verified(const Pass& pass, const loop::Func& func);

/// Runs several passes, one after the other; UserError where the function breaks a rule before the first.
/// `observe` sees each result.
loop::Func run_passes(loop::Func func, std::span<const std::string> names, const Observer& observe = {});

}  // namespace vdla::passes
