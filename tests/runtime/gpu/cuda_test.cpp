// SPDX-License-Identifier: Apache-2.0
// vdla check-kernel --device cuda with a library that stands for CUDA's driver (standin_driver.cpp), and what
// the kit declares of the driver by hand.
#include <dlfcn.h>
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <type_traits>

#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/passes/target.h"
#include "runtime/gpu/cuda_api.h"
#include "support/temporary.h"
#include "tests/compiler/codegen/opencl/schedules.h"
#include "tests/runtime/gpu/driver.h"
#include "tests/tools/run_command.h"

// Types of what the kit declares. CUDA's header gives other names to some functions, which macros then stand
// for.
namespace vdla::gpu::cuda {
#define VDLA_TYPE(name, parameters) using Type_##name = Result(*) parameters;
VDLA_CUDA_FUNCTIONS(VDLA_TYPE)
#undef VDLA_TYPE
}  // namespace vdla::gpu::cuda

#if __has_include(<cuda.h>)
#include <cuda.h>
#define VDLA_HAS_CUDA_HEADER 1
#endif

namespace vdla::gpu {
namespace {

using ::testing::AllOf;
using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

#ifdef VDLA_HAS_CUDA_HEADER
/// Types of CUDA's header as the kit writes them: enumerations, and pointers to them, are ints.
template <class T>
struct Plain {
  using type = T;
};
template <class T>
  requires std::is_enum_v<T>
struct Plain<T> {
  using type = int;
};
template <class T>
  requires std::is_enum_v<T>
struct Plain<T*> {
  using type = int*;
};
template <class R, class... A>
struct Plain<R (*)(A...)> {
  using type = typename Plain<R>::type (*)(typename Plain<A>::type...);
};
std::int64_t number(const void* word) { return reinterpret_cast<std::int64_t>(word); }
std::int64_t number(std::int64_t word) { return word; }
#endif

TEST(CudaDeclarations, AreThoseOfItsHeader) {
#ifdef VDLA_HAS_CUDA_HEADER
#define VDLA_SAME(name, parameters) \
  static_assert(std::is_same_v<Plain<decltype(&::name)>::type, cuda::Type_##name>, #name);
  VDLA_CUDA_FUNCTIONS(VDLA_SAME)
#undef VDLA_SAME
#define VDLA_EQUAL(name, value) EXPECT_EQ(number(name), cuda::k_##name) << #name;
  VDLA_CUDA_CONSTANTS(VDLA_EQUAL)
#undef VDLA_EQUAL
#else
  GTEST_SKIP() << "CUDA's header is not here: install NVIDIA's CUDA toolkit and build again";
#endif
}

class Cuda : public ::testing::Test {
 protected:
  void SetUp() override { VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator)); }

  /// Runs check-kernel on the function; `setting` is of the stand-in, words of the shell.
  CommandResult check(const loop::Func& func, const std::string& setting = "",
                      const std::string& device = "cuda:0") {
    const loop::Func lowered = passes::lower(passes::cuda_target(), func, passes::Verify::Yes);
    const std::string object = kit::open_kernel_device(kEmulator, 0).program(lowered).parts.at(0).text;
    std::ofstream(folder_.path() / "f.o", std::ios::binary) << object;
    std::ofstream(folder_.path() / "f.loop") << loop::to_string(func);
    return run(setting, fmt::format("'{}/f.loop' --device {}", folder_.path().string(), device));
  }

  CommandResult run(const std::string& setting, const std::string& arguments) {
    return testing::run_program(
        "env", fmt::format(
                   "LD_LIBRARY_PATH='{0}' VDLA_STANDIN_OBJECT='{1}/f.o' VDLA_STANDIN_REPORT='{1}/report' {2} "
                   "'{3}/bin/vdla' check-kernel {4}",
                   VDLA_STANDIN_FOLDER, folder_.path().string(), setting, VDLA_BINARY_DIR, arguments));
  }

  /// What the stand-in has seen that is wrong.
  std::string report() const {
    std::ifstream file(folder_.path() / "report");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Temporary folder_{std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "kernels for CUDA"};
};

loop::Func two_kernels() {
  return loop::parse(R"(func two(in A: f32[64], out B: f32[64]) {
    alloc t: f32[64]
    for b in 0..4 block.x { for u in 0..16 thread.x { t[b * 16 + u] = A[b * 16 + u] * 2f32 } }
    for b in 0..2 block.x { for u in 0..32 thread.x { B[b * 32 + u] = t[63 - b * 32 - u] + exp(A[b * 32 + u]) } }
  })");
}

TEST_F(Cuda, RunsKernelsAndGivesEverythingBack) {
  for (const loop::Func& func : {two_kernels(), grid::sgemm(64, 32)}) {
    const CommandResult result = check(func);
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, AllOf(HasSubstr(func.name + " on cuda:0 (Stand-in GPU): "),
                                     HasSubstr("as the loops in order, 1 case")));
    EXPECT_THAT(report(), MatchesRegex("calls: [0-9]+\n"));
  }
}

TEST_F(Cuda, IsListed) {
  const CommandResult result = run("", "--list");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("cuda:0 (Stand-in GPU, compute capability 9.0, CUDA 12.4)"));
}

TEST_F(Cuda, RefusesInOneSentence) {
  const struct {
    std::string setting, says;
  } cases[] = {
      {"VDLA_STANDIN_DEVICES=0", "starting the driver fails with CUDA_ERROR_NO_DEVICE"},
      {"VDLA_STANDIN_CAPABILITY=75",
       "cuda:0 (Stand-in GPU) has compute capability 7.5, and kernels need 8.0; take a newer GPU"},
      {"VDLA_STANDIN_MEMORY=600",
       "no memory for a buffer of 256 bytes on cuda:0 (Stand-in GPU), which has 88 of 600 bytes free; end "
       "what"},
      {"VDLA_STANDIN_THREADS=16",
       "kernel 'two_1' has 32 threads in a block, and cuda:0 (Stand-in GPU) takes 16 of it; split the axes"},
      {"VDLA_STANDIN_FAIL=cuModuleLoadDataEx:1:218",
       "cuda:0 (Stand-in GPU) does not compile the kernels: CUDA_ERROR_INVALID_PTX"},
      {"VDLA_STANDIN_FAIL=cuLaunchKernel:2:719",
       "kernel 'two_1' cannot be launched on cuda:0 (Stand-in GPU): CUDA_ERROR_LAUNCH_FAILED"},
      // Two copies to the device come before.
      {"VDLA_STANDIN_FAIL=cuStreamSynchronize:3:700",
       "one of the kernels 'two_0', 'two_1' fails on cuda:0 (Stand-in GPU): CUDA_ERROR_ILLEGAL_ADDRESS (as "
       "the "
       "stand-in was told); 'vdla check-kernel --device emulator' names the line"},
  };
  for (const auto& [setting, says] : cases) {
    const CommandResult result = check(two_kernels(), setting);
    EXPECT_EQ(result.status, 1) << setting;
    EXPECT_THAT(result.output, HasSubstr(says)) << setting;
  }
  const CommandResult result = check(two_kernels(), "", "cuda:3");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              HasSubstr("there is no device 'cuda:3' of CUDA; there are cuda:0 (Stand-in GPU)"));
}

TEST_F(Cuda, WithoutADriverSaysWhatToInstall) {
  if (dlopen("libcuda.so.1", RTLD_LAZY) != nullptr) GTEST_SKIP() << "CUDA's driver is here";
  const CommandResult result = testing::run_command("check-kernel --list");
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("CUDA's driver cannot be loaded (libcuda.so.1: "),
                    HasSubstr("; install the driver of the NVIDIA GPU, or take '--device emulator'")));
}

/// Whatever call fails, the command says so in a sentence and gives the rest back.
TEST_F(Cuda, SurvivesTheFailureOfEachCall) {
  const char* functions[] = {
#define VDLA_NAME(name, parameters) #name,
      VDLA_CUDA_FUNCTIONS(VDLA_NAME)
#undef VDLA_NAME
  };
  int failed = 0;
  for (const std::string function : functions) {
    const CommandResult result = check(two_kernels(), "VDLA_STANDIN_FAIL=" + function + ":1:1");
    SCOPED_TRACE(function + ": " + result.output);
    EXPECT_TRUE(result.status == 0 || result.status == 1);
    failed += result.status;
    // What could not be given back is not: everything else is.
    const bool gives_back =
        function.find("Free") != std::string::npos || function.find("Unload") != std::string::npos ||
        function.find("Destroy") != std::string::npos || function.find("EndCapture") != std::string::npos ||
        function.find("Release") != std::string::npos || function.find("Pop") != std::string::npos;
    if (!gives_back) EXPECT_THAT(report(), MatchesRegex("calls: [0-9]+\n"));
    if (result.status == 1) EXPECT_THAT(result.output, AllOf(HasSubstr("vdla: error: "), HasSubstr("CUDA")));
  }
  EXPECT_GE(failed, 12);
}

/// A function that fails is a row, and the command's exit status.
TEST_F(Cuda, OfANetworkNamesTheFunctionThatFails) {
  const CommandResult result =
      run("VDLA_STANDIN_FAIL=cuLaunchKernel:1:719",
          "--device cuda --layer add '" VDLA_SOURCE_DIR "/examples/digits/digits.onnx'");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("cannot be launched on cuda:0 (Stand-in GPU): CUDA_ERROR_LAUNCH_FAILED"),
                    HasSubstr("1 of 1 functions taken, 0 of them compute what the nodes do")));
}

/// Neither is a kernel that cannot be made.
TEST_F(Cuda, OfANetworkADeviceThatRefusesOrBreaksIsAFailure) {
  for (const auto& [failure, says] :
       {std::pair("cuModuleLoadDataEx:1:218", "does not compile the kernels: CUDA_ERROR_INVALID_PTX"),
        std::pair("cuMemcpyHtoDAsync_v2:1:700", "fails with CUDA_ERROR_ILLEGAL_ADDRESS"),
        std::pair("cuMemAlloc_v2:1:2", "no memory for a buffer of ")}) {
    const CommandResult result =
        run(std::string("VDLA_STANDIN_FAIL=") + failure,
            "--device cuda --layer add '" VDLA_SOURCE_DIR "/examples/digits/digits.onnx'");
    EXPECT_EQ(result.status, 1) << failure;
    EXPECT_THAT(result.output,
                AllOf(HasSubstr(says), Not(HasSubstr("not taken: ")),
                      HasSubstr("1 of 1 functions taken, 0 of them compute what the nodes do")));
  }
}

TEST_F(Cuda, NoticesWhatItIsMeantToNotice) {
  // The stand-in itself: a kernel that reads what nobody wrote is a failed launch for the driver.
  const CommandResult result =
      check(loop::parse("func f(in A: i32[64], out B: i32[64]) { for b in 0..2 block.x { for t in 0..64 "
                        "thread.x { B[t] = A[t] } } }"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              HasSubstr("kernel 'f' fails on cuda:0 (Stand-in GPU): CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_THAT(report(), HasSubstr("which another block wrote"));
}

}  // namespace
}  // namespace vdla::gpu
