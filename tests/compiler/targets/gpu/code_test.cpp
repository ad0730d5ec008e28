// SPDX-License-Identifier: Apache-2.0
// Programs of each kind of GPU are what the kind's own table of lowering leaves.
#include "compiler/targets/gpu/code/code.h"

#include <gtest/gtest.h>

namespace vdla::targets {
namespace {

TEST(GpuCode, OfEachKindIsMadeByTheKindsOwnTable) {
  EXPECT_EQ(&gpu_code("cuda").table(), &passes::cuda_target());
  EXPECT_EQ(&gpu_code("emulator").table(), &passes::cuda_target());
  EXPECT_EQ(&gpu_code("opencl").table(), &passes::opencl_target());
}

}  // namespace
}  // namespace vdla::targets
