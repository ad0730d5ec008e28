// SPDX-License-Identifier: Apache-2.0
// The visible list of passes over loop IR. A pass is one function from a function to a function of the same
// meaning; one header, one source, one text test, one row in the table.
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
  loop::Func (*run)(const loop::Func&);
  std::string_view doc;  ///< one line: what it does and why one wants it
};

/// In the order in which a pipeline uses them.
std::span<const Pass> all_passes();

/// Throws UserError that lists the names for one that is none of them.
const Pass& find_pass(std::string_view name);

/// Runs passes one after the other and verifies the function before the first and after each; a rule broken
/// before is the caller's mistake (UserError), one broken after is the pass's (InternalError naming it).
/// `observe` sees each result.
loop::Func run_passes(loop::Func func, std::span<const std::string> names,
                      const std::function<void(const Pass&, const loop::Func&)>& observe = {});

}  // namespace vdla::passes
