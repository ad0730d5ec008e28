// SPDX-License-Identifier: Apache-2.0
// What the kit declares of OpenCL by hand is what OpenCL's header declares, compared where this is compiled.
#include "runtime/gpu/opencl_api.h"

#include <gtest/gtest.h>

#include <type_traits>

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#define VDLA_HAS_OPENCL_HEADER 1
#endif

namespace vdla::gpu {
namespace {

TEST(OpenClDeclarations, AreThoseOfItsHeader) {
#ifdef VDLA_HAS_OPENCL_HEADER
#define VDLA_SAME(name, result, parameters) \
  static_assert(std::is_same_v<decltype(&::name), decltype(cl::Api::name)>, #name);
  VDLA_OPENCL_FUNCTIONS(VDLA_SAME)
#undef VDLA_SAME
#define VDLA_EQUAL(name, value) EXPECT_EQ(static_cast<std::int64_t>(name), cl::k_##name) << #name;
  VDLA_OPENCL_CONSTANTS(VDLA_EQUAL)
#undef VDLA_EQUAL
#else
  GTEST_SKIP() << "OpenCL's header is not here: install opencl-headers and build again";
#endif
}

}  // namespace
}  // namespace vdla::gpu
