// SPDX-License-Identifier: Apache-2.0
// Property: whatever legal schedule with threads is drawn and whatever passes run, its kernels compute on a
// device what plain loops do.
#include <gtest/gtest.h>

#include "compiler/grid/kernels.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/target.h"
#include "kit/check_kernel.h"
#include "tests/compiler/codegen_opencl/schedules.h"
#include "tests/compiler/lower/random_grid.h"
#include "tests/runtime/gpu/driver.h"

namespace vdla::gpu {
namespace {

/// Types that kernels have not are left out as refused schedules are.
void run_on(Device& device, const loop::Func& func, const std::vector<std::span<std::byte>>& arguments) {
  const loop::Func lowered = passes::lower(passes::opencl_target(), func, passes::Verify::Yes);
  Program program;
  try {
    program = kit::opencl_program(lowered);
  } catch (const UserError& error) {
    throw UserError(std::string("place-threads: ") + error.what());
  }
  const auto loaded = device.load(program);
  for (std::size_t i = 0; i < arguments.size(); ++i) loaded->write(i, arguments[i]);
  loaded->run();
  for (std::size_t i = 0; i < arguments.size(); ++i) loaded->read(i, arguments[i]);
}

class RandomKernels : public ::testing::TestWithParam<std::size_t> {};

TEST_P(RandomKernels, ComputeWhatLoopsDo) {
  const TestDevice found = open_test_device();
  VDLA_SKIP_WITHOUT_OPENCL(found);
  const lower::Problem problem = lower::random_problems()[GetParam()];
  const int count = lower::candidates_to_draw(16);
  const int ran = lower::check_candidates(
      problem, 9000000 + 100000 * static_cast<unsigned>(GetParam()), count,
      [&](const loop::Func& func, const auto& arguments) { run_on(*found.device, func, arguments); },
      lower::draw_grid_candidate);
  // A recurrence launches a grid in each step of time, and half floats have no text: both are refused.
  const bool is_refused = problem.name == "recurrence" || problem.name == "half floats";
  EXPECT_GE(ran, is_refused ? 0 : count / 4) << problem.name;
}
INSTANTIATE_TEST_SUITE_P(Problems, RandomKernels,
                         ::testing::Range(std::size_t{0}, lower::random_problems().size()));

TEST(Kernels, OfTheSchedulesAreExact) {
  const TestDevice found = open_test_device();
  VDLA_SKIP_WITHOUT_OPENCL(found);
  for (const loop::Func& func : {grid::sgemm(128, 128), grid::sgemm(64, 32), grid::convolution(4, 28, 64)}) {
    const auto loaded = found.device->load(
        kit::opencl_program(passes::lower(passes::opencl_target(), func, passes::Verify::Yes)));
    const kit::KernelCheck check = kit::check_kernel(func, *loaded, 7);
    EXPECT_FALSE(check.difference) << func.name << " " << check.difference->param << " "
                                   << check.difference->element;
    EXPECT_EQ(check.largest, 0) << func.name;
  }
}

}  // namespace
}  // namespace vdla::gpu
