// SPDX-License-Identifier: Apache-2.0
#include "support/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>

namespace vdla {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of Damerau and Levenshtein: of the prefix of `a` before the last, of the last, of this.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 100;  // no name of the kit; a pasted file is compared with nothing
  std::string best;
  if (name.size() > kLongest) return best;
  std::size_t least = static_cast<std::size_t>(-1);
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t allowed = std::max<std::size_t>(1, candidate.size() / 3);
    if (distance > allowed || distance >= std::max<std::size_t>(1, candidate.size()) || distance >= least)
      continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string meant = nearest(name, known);
  return meant.empty() ? "" : ", did you mean '" + meant + "'?";
}

}  // namespace vdla
