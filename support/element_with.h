// SPDX-License-Identifier: Apache-2.0
// Looking up what must be there.
#pragma once

#include <algorithm>
#include <functional>
#include <ranges>
#include <sstream>

#include "support/error.h"

namespace vdla {

/// The first element of a range that outlives the call whose projection equals `value`. None is a fault of
/// the kit: where the user may name what is missing, search with std::ranges::find and refuse with his words.
///
///   const Field& field = element_with(fields, "x_count", &Field::name);
template <std::ranges::forward_range Range, class Value, class Projection>
  requires std::ranges::borrowed_range<Range>
std::ranges::range_reference_t<Range> element_with(Range&& range, const Value& value, Projection projection) {
  const auto found = std::ranges::find(range, value, projection);
  const auto text = [&] {
    std::ostringstream out;
    if constexpr (requires { out << value; }) out << " '" << value << "'";
    return out.str();
  };
  VDLA_CHECK(found != std::ranges::end(range))
      << "none of " << std::ranges::distance(range) << " elements is the one asked for" << text();
  return *found;
}

}  // namespace vdla
