// SPDX-License-Identifier: Apache-2.0
// Random schedules as scripts: drawn over all primitives, checked against plain loops, shrunk where they
// fail.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/loop/stmt.h"
#include "compiler/schedule/schedule.h"
#include "tests/compiler/lower/random_problem.h"

namespace vdla::lower {

/// A schedule and what happens to the lowered function.
struct Candidate {
  std::vector<std::string> script, passes;
};
std::string to_string(const Candidate& candidate);

/// Fills the outputs; throws where it cannot run the function.
using Runner = std::function<void(const loop::Func&, const std::vector<std::span<std::byte>>&)>;
void interpret(const loop::Func& func, const std::vector<std::span<std::byte>>& arguments);

/// Whatever was refused is left out.
Candidate draw_candidate(const Problem& problem, unsigned seed);

/// Nothing for a candidate that lowering refuses; else what is wrong with it, empty where all is well: the
/// function breaks a rule, its text does not read back, the script does not replay, the results are wrong.
std::optional<std::string> failure_of(const Problem& problem, const Candidate& candidate, const Runner& run);

/// The smallest candidate of those that fail, by leaving out lines and passes.
Candidate shrink(Candidate candidate, const std::function<bool(const Candidate&)>& fails);

using Draw = std::function<Candidate(const Problem&, unsigned seed)>;

/// Draws `count` candidates from `first_seed` on, and reports the first failure, shrunk, to gtest. Returns
/// how many were legal.
int check_candidates(const Problem& problem, unsigned first_seed, int count, const Runner& run,
                     const Draw& draw = draw_candidate);

/// VDLA_RANDOM_SCHEDULES, or `quick`.
int candidates_to_draw(int quick);

/// Seeds of so many candidates; with VDLA_RANDOM_ONE_IN=N one of N parts of them, which the commit draws for
/// `what` (tests/part).
struct Seeds {
  unsigned first = 0;
  int count = 0;
};
Seeds drawn_part(std::string_view what, int count);

}  // namespace vdla::lower
