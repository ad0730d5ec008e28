// SPDX-License-Identifier: Apache-2.0
// Interpreted kernels touch what the module says that they touch: check() held the tensors to it.
#include "runtime/container/module_file.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

class Interpret : public Cli {
 protected:
  /// The digit network with another loop program for its step on the CPU (64 bytes in, 576 out).
  void expect_refused(const std::string& parameters, const std::string& sentence) {
    runtime::Module module = runtime::load(digits("tiny"));
    for (auto& step : module.steps)
      if (auto* host = std::get_if<runtime::HostStep>(&step))
        host->loop_ir = "func k(" + parameters + ") {\n  b[0] = a[0]\n}\n";
    runtime::save(module, path("crafted.vdla"));
    expect_error("run " + path("crafted.vdla") + " --random-input 1 --interpret", {sentence});
  }
};

/// same_interpreted.vdla
TEST_F(Interpret, ALoopProgramThatTouchesMoreThanItsTensors) {
  expect_refused("in a: i8[64], out b: i8[577]", "in its loop program 577 of int8");
  expect_refused("in a: i8[72], out b: i8[576]", "in its loop program 72 of int8");
}

/// It declares no byte, and writes one.
TEST_F(Interpret, ALoopProgramThatTouchesATensorWithoutElements) {
  runtime::Module module = runtime::load(digits("tiny"));
  const auto empty = static_cast<runtime::TensorIndex>(module.tensors.size());
  module.tensors.push_back({.name = "empty", .shape = {0, 8}, .quantization = {}, .data = {}});
  for (auto& step : module.steps)
    if (auto* host = std::get_if<runtime::HostStep>(&step)) {
      host->loop_ir =
          "func k(in a: i8[64], out b: i8[576], out c: i8[0]) {\n  b[0] = a[0]\n  c[0] = a[0]\n}\n";
      host->parameters.push_back({runtime::DataType::Int8, 0});
      host->arguments.push_back(empty);
      host->results.push_back(empty);
    }
  runtime::save(module, path("crafted.vdla"));
  expect_error("run " + path("crafted.vdla") + " --random-input 1 --interpret", {"c"});
}

TEST_F(Interpret, ALoopProgramOfAnotherType) {
  expect_refused("in a: u8[64], out b: u8[576]", "has 64 bytes of int8, in its loop program 64 of uint8");
}

TEST_F(Interpret, ALoopProgramWithMoreParameters) {
  expect_refused("in a: i8[64], out b: i8[576], out c: i8[1]", "has 2 parameters, its loop program 3");
}

TEST_F(Interpret, ALoopProgramThatWritesWhatIsNoResult) {
  expect_refused("inout a: i8[64], out b: i8[576]", "is no result, in its loop program inout");
}

/// It was interpreted without a word.
TEST_F(Interpret, MachineCodeOfAnotherCpuIsSaid) {
  runtime::Module module = runtime::load(digits("tiny", "--cpu native"));
  if (module.objects.empty()) GTEST_SKIP() << "this kit makes no machine code: it needs llvm-19-dev";
  const std::string run_of = " --random-input 1";
  const Outcome native = run("run " + path("digits_tiny.vdla") + run_of);
  EXPECT_EQ(native.status, 0);
  EXPECT_EQ(native.err, "");
  for (runtime::KernelObject& object : module.objects) {
    object.cpu = "later";
    object.features = "+later-instructions";
  }
  runtime::save(module, path("later.vdla"));
  const Outcome later = run("run " + path("later.vdla") + run_of);
  EXPECT_EQ(later.status, 0);
  EXPECT_THAT(later.err,
              ::testing::HasSubstr(
                  "does not run here (this CPU lacks later-instructions, as far as this kit knows), so "
                  "the CPU's layers are interpreted"));
  EXPECT_EQ(run("run " + path("later.vdla") + run_of + " --interpret").err, "");
}

}  // namespace
}  // namespace vdla::tools
