// SPDX-License-Identifier: Apache-2.0
// Reads loop IR text (compiler/loop/print.h shows the form). parse(to_string(f)) prints as f does.
#pragma once

#include <string_view>

#include "compiler/loop/stmt.h"

namespace vdla::loop {

/// Throws UserError "line L, column C: ..." for text that is not a function.
Func parse(std::string_view text);

}  // namespace vdla::loop
