// SPDX-License-Identifier: Apache-2.0
// Passages that a generator writes into files that are otherwise written by hand.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vdla::isa::gen {

/// A passage begins behind `begin` + its name + `close` and goes up to the line of the next `end`.
struct PassageMarkers {
  std::string_view begin, close, end;
};

/// The text with each passage replaced by what `passage` says for its name. Throws UserError for a marker
/// without an end.
std::string with_passages(std::string_view current, const PassageMarkers& markers,
                          const std::function<std::string(std::string_view name)>& passage);

/// For a name that no passage has.
[[noreturn]] void refuse_passage(std::string_view name);

}  // namespace vdla::isa::gen
