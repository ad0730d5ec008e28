// SPDX-License-Identifier: Apache-2.0
// "did you mean": the known name that a mistyped one is nearest to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vdla {

/// Insertions, deletions, replacements and swaps of neighbours that make one of the other; letters' case is
/// worth nothing.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest of `known`, the first of equals; empty where none is near enough to have been meant: a third
/// of its letters, at least one.
std::string nearest(std::string_view name, const std::vector<std::string>& known);

/// ", did you mean 'paper'?" or nothing: the end of a message that refuses a name.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace vdla
