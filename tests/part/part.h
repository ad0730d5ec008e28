// SPDX-License-Identifier: Apache-2.0
// Parts of tests that are too long for each run: what a run of CI leaves out, and what it says about that.
// Whole runs have the label whole (docs/verification.md, "Parts and wholes").
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::part {

/// Whether VDLA_WHOLE asks for everything.
bool is_whole();

/// The text that decides what is drawn: VDLA_DRAW, else the commit of the source tree, else (a tree without
/// git) "no commit".
const std::string& draw_text();

/// A number below `count`, the same for `what` in every run with this draw_text().
std::size_t draw(std::string_view what, std::size_t count);
std::size_t draw(std::string_view what, std::size_t count, std::string_view text);

/// Prints a line that scripts/summary.sh lists: what this run leaves out, and why.
void say_part(const std::string& left_out);

/// Cases of a program of which a run takes one in `one_in` (0: none), and all where `record` names a suite
/// whose result for these sources is not on record (tests/part/record.py).
struct Drawn {
  std::string pattern;  ///< of names, with * and ?
  std::size_t one_in = 0;
  std::string record;
};

/// Parses rows "ONE_IN PATTERN" or "ONE_IN PATTERN RECORD", separated by '|'.
std::vector<Drawn> parse_drawn(std::string_view rows);

/// The names that row `drawn` takes of those that it matches, in the order of the program.
std::vector<std::string> taken(const Drawn& drawn, const std::vector<std::string>& names,
                               std::string_view text);

/// Runs the cases that googletest's filter and `rows` leave, and says for each other one that the filter
/// names why it does not run. What main() returns.
int run_part(std::string_view rows);

}  // namespace vdla::part
