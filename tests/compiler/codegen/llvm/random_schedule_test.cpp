// SPDX-License-Identifier: Apache-2.0
// Property: whatever legal schedule is drawn and whatever passes run, machine code computes what plain loops
// do.
#include "tests/compiler/lower/random_schedule.h"

#include <gtest/gtest.h>

#include "compiler/targets/cpu/code/code.h"

namespace vdla::lower {
namespace {

void run_native(const loop::Func& func, const std::vector<std::span<std::byte>>& arguments) {
  host::Jit jit;
  std::vector<void*> params;
  for (std::span<std::byte> argument : arguments) params.push_back(argument.data());
  jit.add(func)(params.data());
}

class RandomNative : public testing::TestWithParam<std::size_t> {};

TEST_P(RandomNative, MachineCodeLeavesTheResultUnchanged) {
  const Problem problem = random_problem(GetParam());
  const int count = candidates_to_draw(20);
  const int legal =
      check_candidates(problem, 7000000 + 100000 * static_cast<unsigned>(GetParam()), count, run_native);
  EXPECT_GE(legal, count / (2 * problem.legal_in)) << problem.name;
}
INSTANTIATE_TEST_SUITE_P(Problems, RandomNative,
                         testing::Range(std::size_t{0}, random_problem_names().size()),
                         [](const auto& info) { return random_problem_names()[info.param]; });

}  // namespace
}  // namespace vdla::lower
