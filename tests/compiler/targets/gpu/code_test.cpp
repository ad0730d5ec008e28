// SPDX-License-Identifier: Apache-2.0
// Programs of each kind of GPU are what the kind's own table of lowering leaves.
#include "compiler/targets/gpu/code/code.h"

#include <gtest/gtest.h>

#include "tests/compiler/user_error.h"

namespace vdla::targets {
namespace {

TEST(GpuCode, OfEachKindIsMadeByTheKindsOwnTable) {
  EXPECT_EQ(&gpu_code("cuda").table(), &passes::cuda_target());
  EXPECT_EQ(&gpu_code("emulator").table(), &passes::cuda_target());
  EXPECT_EQ(&gpu_code("opencl").table(), &passes::opencl_target());
}

TEST(GpuCode, OfAnUnknownKindListsTheKnownOnes) {
  for (const std::string& kind : gpu_kinds())
    EXPECT_EQ(gpu_options(kind, "").profile.name, gpu_code(kind).machine);
  EXPECT_EQ(user_error([] { gpu_options("cud", ""); }),
            "no kind of GPU is called 'cud'; there are cuda, opencl, emulator, did you mean 'cuda'?");
}

}  // namespace
}  // namespace vdla::targets
