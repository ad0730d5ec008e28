// SPDX-License-Identifier: Apache-2.0
// Property: whatever legal schedule with threads is drawn and whatever passes run, its kernels compute on a
// device what plain loops do.
#include <gtest/gtest.h>

#include <tuple>

#include "compiler/grid/kernels.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/target.h"
#include "kit/kernels/check_kernel.h"
#include "runtime/gpu/emulator.h"
#include "tests/compiler/codegen/opencl/schedules.h"
#include "tests/compiler/lower/random_grid.h"
#include "tests/runtime/gpu/driver.h"

namespace vdla::gpu {
namespace {

/// Types that kernels have not are left out as refused schedules are.
void run_on(const TestDevice& on, const loop::Func& func,
            const std::vector<std::span<std::byte>>& arguments) {
  const loop::Func lowered = passes::lower(passes::opencl_target(), func, passes::Verify::Yes);
  Program program;
  try {
    program = on.program(lowered);
  } catch (const UserError& error) {
    throw UserError(std::string("place-threads: ") + error.what());
  }
  const auto loaded = on.device->load(program);
  for (std::size_t i = 0; i < arguments.size(); ++i) loaded->write(i, arguments[i]);
  loaded->run();
  for (std::size_t i = 0; i < arguments.size(); ++i) loaded->read(i, arguments[i]);
}

const std::string kOpenCl, kOnEmulator = kEmulator;

class RandomKernels : public ::testing::TestWithParam<std::tuple<std::string, std::size_t>> {};

TEST_P(RandomKernels, ComputeWhatLoopsDo) {
  const auto [device, index] = GetParam();
  const TestDevice found = open_test_device(device);
  VDLA_SKIP_WITHOUT_DEVICE(found);
  const lower::Problem problem = lower::random_problem(index);
  const int count = lower::candidates_to_draw(16);
  const int ran = lower::check_candidates(
      problem, 9000000 + 100000 * static_cast<unsigned>(index), count,
      [&](const loop::Func& func, const auto& arguments) { run_on(found, func, arguments); },
      lower::draw_grid_candidate);
  // A recurrence launches a grid in each step of time, and half floats have no OpenCL C: both are refused.
  const bool is_refused =
      problem.name == "recurrence" || (device == kOpenCl && problem.name == "half floats");
  EXPECT_GE(ran, is_refused ? 0 : count / 4) << problem.name;
}
std::string name_of(const ::testing::TestParamInfo<RandomKernels::ParamType>& info) {
  const auto [device, index] = info.param;
  return device_name(device) + "_" + lower::random_problem_names()[index];
}
INSTANTIATE_TEST_SUITE_P(Problems, RandomKernels,
                         ::testing::Combine(::testing::Values(kOpenCl, kOnEmulator),
                                            ::testing::Range(std::size_t{0},
                                                             lower::random_problem_names().size())),
                         name_of);

class Kernels : public ::testing::TestWithParam<std::string> {};

TEST_P(Kernels, OfTheSchedulesAreExact) {
  const TestDevice found = open_test_device(GetParam());
  VDLA_SKIP_WITHOUT_DEVICE(found);
  for (const loop::Func& func : {grid::sgemm(128, 128), grid::sgemm(64, 32), grid::convolution(4, 28, 64)}) {
    const auto loaded =
        found.device->load(found.program(passes::lower(passes::opencl_target(), func, passes::Verify::Yes)));
    const kit::KernelCheck check = kit::check_kernel(func, *loaded, 7);
    EXPECT_FALSE(check.difference) << func.name << " " << check.difference->param << " "
                                   << check.difference->element;
    EXPECT_EQ(check.largest, 0) << func.name;
  }
}
INSTANTIATE_TEST_SUITE_P(Devices, Kernels, ::testing::Values(kOpenCl, kOnEmulator), kNamedByDevice);

}  // namespace
}  // namespace vdla::gpu
