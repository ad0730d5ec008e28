// SPDX-License-Identifier: Apache-2.0
// Reads loop IR text (compiler/loop/print.h shows the form). parse(to_string(f)) prints as f does.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "compiler/loop/stmt.h"

namespace vdla::loop {

/// Throws UserError "line L, column C: ..." for text that is not a function.
Func parse(std::string_view text);
/// Parses text that may use `free` by name.
Func parse(std::string_view text, std::span<const VarPtr> free);
/// Parses, and fills `lines` with the line, from 1, on which each statement begins.
Func parse(std::string_view text, std::unordered_map<const Stmt*, unsigned>& lines);

}  // namespace vdla::loop
