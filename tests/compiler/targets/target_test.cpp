// SPDX-License-Identifier: Apache-2.0
// Programs of each kind of GPU are what the kind's own table of lowering leaves.
#include "compiler/targets/target.h"

#include <gtest/gtest.h>

#include "tests/compiler/user_error.h"

namespace vdla::targets {
namespace {

TEST(GpuCode, OfEachKindIsMadeByTheKindsOwnTable) {
  const auto table_of = [](const char* kind) { return gpu_target(kind).table({}, {}).name; };
  EXPECT_EQ(table_of("cuda"), passes::cuda_target().name);
  EXPECT_EQ(table_of("emulator"), passes::cuda_target().name);
  EXPECT_EQ(table_of("opencl"), passes::opencl_target().name);
}

TEST(GpuCode, OfAnUnknownKindListsTheKnownOnes) {
  for (const std::string& kind : gpu_kinds())
    EXPECT_EQ(gpu_options(kind, "").profile.name, gpu_target(kind).machine);
  EXPECT_EQ(user_error([] { gpu_options("cud", ""); }),
            "no kind of GPU is called 'cud'; there are cuda, opencl, emulator, did you mean 'cuda'?");
}

}  // namespace
}  // namespace vdla::targets
