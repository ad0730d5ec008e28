// SPDX-License-Identifier: Apache-2.0
// The functions of networks as kernels on a device, by each template and with drawn knobs, against the
// graph's nodes in the interpreter; vdla check-kernel NETWORK.
#include <gmock/gmock.h>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

#include "compiler/graph/text/text.h"
#include "kit/kernels/check_network.h"
#include "support/temporary.h"
#include "tests/compiler/targets/gpu/layers.h"
#include "tests/runtime/gpu/driver.h"
#include "tests/test_name.h"
#include "tests/tools/run_command.h"

namespace vdla::gpu {
namespace {

using ::testing::AllOf;
using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_command;

/// Points of each function's space; VDLA_GRID_POINTS draws more.
unsigned points_to_draw() {
  const char* wanted = std::getenv("VDLA_GRID_POINTS");
  return wanted ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : 2;
}

/// A device by its name in --device, and the machine that the templates are for.
class NetworkKernels : public ::testing::TestWithParam<std::tuple<std::string, std::size_t>> {
 protected:
  void SetUp() override {
    found_ = open_test_device(std::get<0>(GetParam()));
    VDLA_SKIP_WITHOUT_DEVICE(found_);
  }
  TestDevice found_;
};

TEST_P(NetworkKernels, WithDrawnKnobsComputeWhatTheNodesDo) {
  const auto& profile = pipeline::gpu::profiles()[std::get<1>(GetParam())];
  const kit::NetworkCheckOptions options{.device = &found_,
                                         .profile = profile,
                                         .layer = "",
                                         .seed = 11,
                                         .knobs = "",
                                         .points = points_to_draw()};
  auto rows = kit::check_network(pipeline::gpu::layers(3), options);
  EXPECT_GE(rows.size(), 15u * (points_to_draw() + 1));
  std::ranges::copy(kit::check_network(pipeline::gpu::even_layers(3), options), std::back_inserter(rows));
  std::ranges::copy(kit::check_network(pipeline::gpu::odd_convolutions(3), options),
                    std::back_inserter(rows));
  for (const kit::LayerCheck& row : rows) {
    EXPECT_EQ(row.failed, "") << row.layer << " by " << row.by << ", " << row.knobs;
    EXPECT_EQ(row.refused, "") << row.layer << " by " << row.by << ", " << row.knobs;
    EXPECT_FALSE(row.check.difference)
        << row.layer << " by " << row.by << ", " << row.knobs << ": element " << row.check.difference->element
        << " is " << row.check.difference->seen << ", not " << row.check.difference->expected;
  }
}
INSTANTIATE_TEST_SUITE_P(Machines, NetworkKernels,
                         ::testing::Combine(::testing::Values(std::string(), std::string(kEmulator)),
                                            ::testing::Range(std::size_t{0},
                                                             pipeline::gpu::profiles().size())),
                         [](const auto& info) {
                           return device_name(std::get<0>(info.param)) + "_" +
                                  test_name(pipeline::gpu::profiles()[std::get<1>(info.param)].name);
                         });

/// A kernel that PoCL ran wrongly by one of its ways (tools/vdla/common/kernel_cache.h).
class PaddedHalves : public ::testing::TestWithParam<std::string> {};

TEST_P(PaddedHalves, OfGroupsComputeWhatTheNodesDo) {
  TestDevice device = open_test_device(GetParam());
  VDLA_SKIP_WITHOUT_DEVICE(device);
  for (const int stages : {2, 3}) {
    const kit::NetworkCheckOptions options{
        .device = &device,
        .profile = pipeline::gpu::profiles()[0],
        .layer = "groups",
        .seed = 11,
        .knobs = fmt::format("channel_threads=4 channel_each=4 channel_virtuals=1 row_threads=2 row_each=2 "
                             "column_threads=2 column_each=2 column_virtuals=2 step=1 fetch=both pad=yes "
                             "vector=1 stages={} parts=1",
                             stages)};
    for (const kit::LayerCheck& row : kit::check_network(pipeline::gpu::layers(3), options)) {
      EXPECT_EQ(row.failed, "") << stages << " stages";
      EXPECT_EQ(row.refused, "") << stages << " stages";
      EXPECT_FALSE(row.check.difference)
          << stages << " stages: element " << row.check.difference->element << " is "
          << row.check.difference->seen << ", not " << row.check.difference->expected;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Devices, PaddedHalves, ::testing::Values(std::string(), std::string(kEmulator)),
                         kNamedByDevice);

/// By tensor cores, where a machine has them: a device of OpenCL runs the loops that they mean.
class Products : public ::testing::TestWithParam<std::string> {};

TEST_P(Products, WithDrawnKnobsComputeWhatTheNodesDo) {
  TestDevice device = open_test_device(GetParam());
  VDLA_SKIP_WITHOUT_DEVICE(device);
  const kit::NetworkCheckOptions options{.device = &device,
                                         .profile = pipeline::gpu::profile_named("server-tf32"),
                                         .layer = "",
                                         .seed = 12,
                                         .knobs = "",
                                         .points = points_to_draw()};
  const auto rows = kit::check_network(pipeline::gpu::products(3), options);
  EXPECT_GE(rows.size(), 8u * (points_to_draw() + 1));
  int by_tensor_cores = 0;
  for (const kit::LayerCheck& row : rows) {
    const bool is_of_halves = row.layer == "halves" || row.layer == "uneven";
    EXPECT_EQ(row.failed, "") << row.layer << " by " << row.by << ", " << row.knobs;
    EXPECT_EQ(row.refused.empty(), GetParam() == kEmulator || !is_of_halves)
        << row.layer << ": " << row.refused;
    EXPECT_FALSE(row.check.difference) << row.layer << " by " << row.by << ", " << row.knobs;
    by_tensor_cores += row.by.starts_with("mma") && row.refused.empty() ? 1 : 0;
    if (row.layer == "floats" || row.layer == "weighted")
      EXPECT_GT(row.check.largest, kit::kKernelTolerance) << "thirds have more than ten bits of fraction";
  }
  EXPECT_GE(by_tensor_cores, 5);
}
INSTANTIATE_TEST_SUITE_P(Devices, Products, ::testing::Values(std::string(), std::string(kEmulator)),
                         kNamedByDevice);

/// int8 layers by dp4a, where a machine has it and the knobs leave words together: bits are those of the
/// nodes.
class Words : public ::testing::TestWithParam<std::string> {};

TEST_P(Words, WithDrawnKnobsComputeWhatTheNodesDo) {
  TestDevice device = open_test_device(GetParam());
  VDLA_SKIP_WITHOUT_DEVICE(device);
  // PoCL takes seconds for each kernel.
  const unsigned points = points_to_draw() / (GetParam() == kEmulator ? 2 : 4);
  const kit::NetworkCheckOptions options{.device = &device,
                                         .profile = pipeline::gpu::profile_named("server"),
                                         .layer = "",
                                         .seed = 13,
                                         .knobs = "",
                                         .points = points};
  const auto rows = kit::check_network(pipeline::gpu::words(3), options);
  EXPECT_GE(rows.size(), 9u * (points + 1));
  for (const kit::LayerCheck& row : rows) {
    EXPECT_EQ(row.failed, "") << row.layer << " by " << row.by << ", " << row.knobs;
    EXPECT_EQ(row.refused, "") << row.layer << " by " << row.by << ", " << row.knobs;
    EXPECT_FALSE(row.check.difference) << row.layer << " by " << row.by << ", " << row.knobs;
  }
}
INSTANTIATE_TEST_SUITE_P(Devices, Words, ::testing::Values(std::string(), std::string(kEmulator)),
                         kNamedByDevice);

class CheckNetworkCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const TestDevice found = open_test_device();
    VDLA_SKIP_WITHOUT_DEVICE(found);
  }

  std::string file(const std::string& text) const {
    const std::filesystem::path path = folder_.path() / "net.graph";
    std::ofstream(path) << text;
    return "'" + path.string() + "'";
  }

  /// All functions taken, and integers equal.
  static void expect_equal(const std::string& network) {
    const CommandResult result = run_command("check-kernel --json '" + network + "'");
    ASSERT_EQ(result.status, 0) << result.output;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_GT(json["functions"], 0);
    EXPECT_EQ(json["refused"], 0) << result.output;
    EXPECT_EQ(json["different"], 0) << result.output;
  }

  Temporary folder_{std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "networks"};
};

TEST_F(CheckNetworkCommand, TakesKnobsOfALayerAndNamesThoseOfAnother) {
  if (!VDLA_HAS_LLVM) GTEST_SKIP() << "the kit was built without LLVM";
  const auto check = [&](const std::string& flags) {
    return run_command("check-kernel '" VDLA_SOURCE_DIR "/examples/digits/digits.onnx' --device emulator " +
                       flags);
  };
  const std::string one =
      "channel_threads=4 channel_each=2 channel_virtuals=1 row_threads=8 row_each=1 column_threads=2 "
      "column_each=1 column_virtuals=1 step=1 fetch=neither pad=no vector=1 stages=1 parts=1";
  const CommandResult taken = check("--layer add --knobs '" + one + "'");
  EXPECT_EQ(taken.status, 0) << taken.output;
  EXPECT_THAT(taken.output, HasSubstr(one));
  const CommandResult other = check("--layer add --knobs lanes=4");
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.output, HasSubstr("have \"lanes=4\" where 'channel_threads=...' is needed"));
  EXPECT_THAT(check("--knobs lanes=4").output, HasSubstr("name its node with --layer"));
}

TEST_F(CheckNetworkCommand, DigitsAreAllTakenAndEqual) {
  const std::string digits = VDLA_SOURCE_DIR "/examples/digits/digits.onnx";
  expect_equal(digits);
  const CommandResult result = run_command("check-kernel --machine embedded --layer add '" + digits + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("tiles"), HasSubstr("fetch=neither pad=no vector=1 stages=1 parts=1 equal"),
                    HasSubstr("1 of 1 functions taken, 1 of them compute what the nodes do")));
}

TEST_F(CheckNetworkCommand, DigitsAreEqualInTheEmulator) {
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator));
  for (const char* machine : {"desktop", "embedded"}) {
    const CommandResult result = run_command(std::string("check-kernel --device emulator --machine ") +
                                             machine + " '" VDLA_SOURCE_DIR "/examples/digits/digits.onnx'");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("7 of 7 functions taken, 7 of them compute what the nodes do"));
  }
}

class MlPerfTinyKernels : public CheckNetworkCommand, public ::testing::WithParamInterface<const char*> {};

TEST_P(MlPerfTinyKernels, AreAllTakenAndEqual) {
  const char* data = std::getenv("VDLA_DATA");
  if (!data) GTEST_SKIP() << "VDLA_DATA is not set: no networks of MLPerf Tiny";
  expect_equal(std::string(data) + "/mlperf_tiny/models/" + GetParam() + ".tflite");
}
INSTANTIATE_TEST_SUITE_P(Networks, MlPerfTinyKernels,
                         ::testing::Values("pretrainedResnet_quant", "vww_96_int8", "kws_ref_model",
                                           "ad01_int8"),
                         kNamedByText);

TEST_F(CheckNetworkCommand, WhatAKernelCannotHaveIsNamedWithTheReason) {
  const CommandResult result = run_command(
      "check-kernel " + file("graph \"g\" input %x: float16[4, 8] %y = transpose \"turn\"(%x) {perm = [1, 0]}"
                             " output %y"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("not taken: "), HasSubstr("0 of 1 functions taken")));
}

TEST_F(CheckNetworkCommand, RefusesInOneSentence) {
  const std::string digits = "'" VDLA_SOURCE_DIR "/examples/digits/digits.onnx'";
  EXPECT_THAT(run_command("check-kernel --layer ad " + digits).output,
              AllOf(HasSubstr("no node 'ad' in the network"), HasSubstr("did you mean 'add'?")));
  EXPECT_THAT(run_command("check-kernel --lowered " + digits).output,
              HasSubstr("--lowered is for a file of loop IR text, and"));
  EXPECT_THAT(run_command("check-kernel --count 2 " + digits).output,
              HasSubstr("--points draws knobs for its layers"));
  EXPECT_THAT(run_command("check-kernel --points 2 " + file("func f(out B: i32[1]) { B[0] = 1i32 }")).output,
              HasSubstr("--points is for a network, and"));
}

/// Each access of each thread is looked at: no races, nothing read that was not written.
TEST(NetworkKernelsUnderOclgrind, AreClean) {
  if (std::string(VDLA_OCLGRIND_DRIVER).empty())
    GTEST_SKIP() << "oclgrind is not here: install it and build again";
  const Temporary folder(std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "networks");
  const std::filesystem::path path = folder.path() / "layers.graph";
  std::ofstream(path) << graph::print(pipeline::gpu::layers(5));
  const CommandResult result = testing::run_program(
      "env", fmt::format("OCL_ICD_VENDORS='{}' OCLGRIND_DATA_RACES=1 OCLGRIND_UNINITIALIZED=1 "
                         "OCLGRIND_BUILD_OPTIONS=-cl-opt-disable OCLGRIND_MAX_ERRORS=3 '{}/bin/vdla' "
                         "check-kernel '{}'",
                         VDLA_OCLGRIND_DRIVER, VDLA_BINARY_DIR, path.string()));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("on Oclgrind Simulator"), Not(HasSubstr("data race")),
                                   Not(HasSubstr("Uninitialized")), Not(HasSubstr("Invalid"))));
}

}  // namespace
}  // namespace vdla::gpu
