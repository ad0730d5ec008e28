// SPDX-License-Identifier: Apache-2.0
// Modules for CUDA by a library that stands for its driver: bytes against those of the CPU, the order of
// calls, what goes wrong, and what is given back.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tests/runtime/gpu/driver.h"
#include "tests/runtime/gpu/gpu_modules.h"

namespace vdla::gpu {
namespace {

using ::testing::AllOf;
using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing::run_command;

/// The digits by a library that stands for CUDA's driver.
class CudaModules : public GpuModuleCommands {
 protected:
  void SetUp() override {
    VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator));
    const graph::Graph graph = kit::read_network(kDigits);
    save("net.vdla", compile_for(graph, "cuda").module);
    save("cpu.vdla", compile_for(graph, "").module);
    std::filesystem::create_directory(folder_.path() / "objects");
    add_objects(compile_for(graph, "emulator").module.gpu.at(0));
  }

  void save(const std::string& name, const runtime::Module& module) const {
    runtime::save(module, folder_.path() / name);
  }
  /// Of kernels for the emulator, which stand for those of CUDA.
  void add_objects(const runtime::GpuSegment& segment) {
    for (const auto& part : segment.program.parts)
      std::ofstream(folder_.path() / "objects" / std::to_string(objects_++), std::ios::binary) << part.text;
  }

  CommandResult run_vdla(const std::string& setting, const std::string& arguments) const {
    return testing::run_program("env", fmt::format("LD_LIBRARY_PATH='{0}' VDLA_STANDIN_OBJECT='{1}/objects' "
                                                   "VDLA_STANDIN_REPORT='{1}/report' {2} '{3}/bin/vdla' {4}",
                                                   VDLA_STANDIN_FOLDER, folder_.path().string(), setting,
                                                   VDLA_BINARY_DIR, arguments));
  }
  CommandResult run(const std::string& setting, const std::string& more = "") const {
    return run_vdla(setting, fmt::format("run '{0}/net.vdla' --random-input 3 --output '{0}/cuda.npy' {1}",
                                         folder_.path().string(), more));
  }
  std::string expected() const {
    EXPECT_EQ(run_command("run " + path("cpu.vdla") + " --random-input 3 --output " + path("cpu.npy")).status,
              0);
    return bytes("cpu.npy");
  }

 private:
  int objects_ = 0;
};

TEST_F(CudaModules, HaveTheBytesOfTheCpuAndGiveEverythingBack) {
  const CommandResult result = run("");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("by the GPU's own events"), HasSubstr("cuda:0 (Stand-in GPU)")));
  EXPECT_EQ(bytes("cuda.npy"), expected());
  EXPECT_THAT(bytes("report"), MatchesRegex("calls: [0-9]+\n"));
}

/// Two programs in flight, between steps of the device: each is waited for once, in front of the step that
/// joins both, and then copied from. Behind that each runs alone for its time.
class CudaModulesBesideTheDevice : public CudaModules {
 protected:
  void SetUp() override {
    CudaModules::SetUp();
    if (IsSkipped()) return;
    const graph::Graph graph = kit::parse_graph(kBranches, "branches");
    save("net.vdla", compile_for(graph, "cuda", true, without_start()).module);
    save("cpu.vdla", compile_for(graph, "").module);
    for (const auto& segment : compile_for(graph, "emulator", true, without_start()).module.gpu)
      add_objects(segment);
  }
};

TEST_F(CudaModulesBesideTheDevice, AreWaitedForWhereTheyAreNeeded) {
  const std::string log = "VDLA_STANDIN_LOG=" + (folder_.path() / "log").string();
  const CommandResult result = run("'" + log + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(bytes("cuda.npy"), expected());
  EXPECT_EQ(bytes("log"),
            "copy to 0\nwait 0\nlaunch 0\n"
            "copy to 1\nwait 1\nlaunch 1\n"
            "wait 0\ncopy from 0\nwait 0\n"
            "wait 1\nlaunch 0\nwait 0\n"
            "copy from 1\nwait 1\nlaunch 1\nwait 1\n"
            "wait 0\nwait 1\n");  // before they are given back
  EXPECT_THAT(bytes("report"), MatchesRegex("calls: [0-9]+\n"));
}

TEST_F(CudaModulesBesideTheDevice, GiveEverythingBackWhereOneFails) {
  // Waits: two of copies, of the first program's kernel, of its copy, of the second one's kernel.
  const std::pair<std::string, std::string> cases[] = {
      {"cuStreamSynchronize:3:719", "kernel 'k_turned' fails on cuda:0 (Stand-in GPU): CUDA_ERROR"},
      {"cuStreamSynchronize:5:719", "kernel 'k_turned' fails on cuda:0 (Stand-in GPU): CUDA_ERROR"},
      {"cuMemcpyHtoDAsync_v2:2:700", "copying to cuda:0 (Stand-in GPU) fails"},
      {"cuLaunchKernel:2:719", "cannot be launched on cuda:0 (Stand-in GPU): CUDA_ERROR_LAUNCH_FAILED"}};
  for (const auto& [fails, says] : cases) {
    const CommandResult result = run("VDLA_STANDIN_FAIL=" + fails);
    EXPECT_EQ(result.status, 1) << fails;
    EXPECT_THAT(result.output, HasSubstr(says)) << fails;
    EXPECT_THAT(bytes("report"), MatchesRegex("calls: [0-9]+\n")) << fails;
    const CommandResult behind = run("VDLA_STANDIN_FAIL=" + fails, "--fallback cpu");
    EXPECT_EQ(behind.status, 0) << behind.output;
    EXPECT_EQ(bytes("cuda.npy"), expected()) << fails;
  }
}

TEST_F(CudaModules, WhatGoesWrongIsOneSentence) {
  const std::pair<std::string, std::string> cases[] = {
      {"VDLA_STANDIN_DEVICES=0",
       "'digits' needs a GPU: CUDA: starting the driver fails with CUDA_ERROR_NO_DEVICE"},
      {"VDLA_STANDIN_CAPABILITY=75",
       "'digits' needs a GPU: cuda:0 (Stand-in GPU) has compute capability 7.5, and kernels need 8.0"},
      {"VDLA_STANDIN_MEMORY=4000", "of 4000 bytes free; end what else runs there"},
      {"VDLA_STANDIN_FAIL=cuModuleLoadDataEx:3:218", "does not compile the kernels: CUDA_ERROR_INVALID_PTX"},
      {"VDLA_STANDIN_FAIL=cuLaunchKernel:2:719",
       "cannot be launched on cuda:0 (Stand-in GPU): CUDA_ERROR_LAUNCH"},
  };
  for (const auto& [setting, says] : cases) {
    const CommandResult result = run(setting);
    EXPECT_EQ(result.status, 1) << setting;
    EXPECT_THAT(result.output, HasSubstr(says)) << setting;
    EXPECT_THAT(bytes("report"), MatchesRegex("calls: [0-9]+\n")) << setting;
    const CommandResult behind = run(setting, "--fallback cpu");
    EXPECT_EQ(behind.status, 0) << behind.output;
    EXPECT_THAT(behind.output, AllOf(HasSubstr(says), HasSubstr("the CPU runs the GPU's steps"))) << setting;
    EXPECT_EQ(bytes("cuda.npy"), expected()) << setting;
  }
}

/// The stand-in's clock goes on by a millisecond with each launch, and it runs the default knobs' kernels
/// whatever a candidate is made of.
TEST_F(CudaModules, AreTunedByTheGpusOwnClock) {
  const auto tune = [&](const std::string& setting) {
    return run_vdla(setting, fmt::format("tune '{0}' --target cuda --gpu-machine desktop --trials 2 --search "
                                         "random --book '{1}/gpu.json' --log '{1}/gpu.jsonl'",
                                         kDigits, folder_.path().string()));
  };
  const CommandResult missing = tune("VDLA_STANDIN_DEVICES=0");
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.output, HasSubstr("there is no GPU to measure on: CUDA: starting the driver fails"));
  const CommandResult result = tune("");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(bytes("gpu.jsonl"),
              AllOf(HasSubstr("\"target\":\"gpu kind=cuda machine=desktop\",\"engine\":\"gpu\",\"device\":"
                              "\"cuda:0 (Stand-in GPU)\""),
                    HasSubstr("\"incumbent_ns\":1000000")));
  EXPECT_THAT(bytes("gpu.json"), HasSubstr("\"device\": \"cuda:0 (Stand-in GPU)\""));
}

/// However many inputs there are: one piece of memory, constants there once, each kernel launched once, into
/// a graph.
TEST_F(CudaModules, PrepareOnce) {
  const std::string eval =
      fmt::format("eval '{}/net.vdla' --inputs '{}/examples/digits/images.npy' --limit 5",
                  folder_.path().string(), VDLA_SOURCE_DIR);
  const std::size_t constants = runtime::load(folder_.path() / "net.vdla").gpu.at(0).constants.size();
  for (const auto& [function, calls] : {std::pair<std::string, std::size_t>("cuMemAlloc_v2", 1),
                                        {"cuLaunchKernel", 7},
                                        {"cuGraphInstantiateWithFlags", 1},
                                        {"cuGraphLaunch", 5},
                                        {"cuMemcpyHtoDAsync_v2", constants + 5},
                                        {"cuMemcpyDtoHAsync_v2", 5}}) {
    // The last call is the last one: to let the next one fail changes nothing.
    for (const std::size_t fails : {calls, calls + 1}) {
      const CommandResult result = run_vdla(fmt::format("VDLA_STANDIN_FAIL={}:{}:1", function, fails), eval);
      EXPECT_EQ(result.status, fails == calls ? 1 : 0) << function << " " << fails << ": " << result.output;
    }
  }
}

/// Whatever call fails, the command says so in a sentence and gives the rest back.
TEST_F(CudaModules, SurviveTheFailureOfEachCall) {
  int failed = 0;
  for (const std::string function : {"cuInit",
                                     "cuDeviceGetCount",
                                     "cuDeviceGet",
                                     "cuDeviceGetName",
                                     "cuDeviceGetAttribute",
                                     "cuDevicePrimaryCtxRetain",
                                     "cuCtxPushCurrent_v2",
                                     "cuStreamCreate",
                                     "cuModuleLoadDataEx",
                                     "cuModuleGetFunction",
                                     "cuFuncGetAttribute",
                                     "cuMemAlloc_v2",
                                     "cuMemcpyHtoDAsync_v2",
                                     "cuMemcpyDtoHAsync_v2",
                                     "cuStreamBeginCapture_v2",

                                     "cuGraphInstantiateWithFlags",
                                     "cuGraphLaunch",
                                     "cuLaunchKernel",
                                     "cuStreamSynchronize",
                                     "cuEventCreate",
                                     "cuEventRecord",
                                     "cuEventElapsedTime"}) {
    const CommandResult result = run("VDLA_STANDIN_FAIL=" + function + ":1:1");
    SCOPED_TRACE(function + ": " + result.output);
    EXPECT_EQ(result.status, 1);
    failed += result.status == 1;
    EXPECT_THAT(bytes("report"), MatchesRegex("calls: [0-9]+\n"));
    EXPECT_THAT(result.output, AllOf(HasSubstr("vdla: error: "), Not(HasSubstr("internal"))));
  }
  EXPECT_GE(failed, 12);
}

}  // namespace
}  // namespace vdla::gpu
