// SPDX-License-Identifier: Apache-2.0
// Networks compiled for a GPU, as users have them: bytes of drivers of OpenCL and of the emulator against
// those of the CPU; what goes wrong there.
#include <gmock/gmock.h>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "compiler/passes/target.h"
#include "tests/compiler/targets/gpu/layers.h"
#include "tests/runtime/gpu/driver.h"
#include "tests/runtime/gpu/gpu_modules.h"
#include "tests/test_name.h"

namespace vdla::gpu {
namespace {

using ::testing::AllOf;
using testing::CommandResult;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::run_command;

/// Drawn bytes for each input; floats between -1 and 1.
std::vector<runtime::Bytes> drawn_inputs(const runtime::Module& module, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<runtime::Bytes> inputs;
  for (const runtime::Port& port : module.inputs) {
    const auto count = static_cast<std::size_t>(runtime::element_count(port.model_shape));
    runtime::Bytes bytes(count * bytes_of(port.model_type));
    if (port.model_type == runtime::DataType::Float32)
      for (std::size_t i = 0; i < count; ++i) {
        const float value = std::uniform_real_distribution<float>(-1, 1)(random);
        std::memcpy(bytes.data() + 4 * i, &value, 4);
      }
    else
      for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

Asked placed(std::set<std::string> nodes) { return {.on_gpu = std::move(nodes)}; }

std::vector<runtime::Bytes> outputs_of(const runtime::Module& module, unsigned seed,
                                       const kit::SessionOptions& options = {}) {
  kit::Session session(module, "functional", options);
  return session.run_model(drawn_inputs(module, seed)).outputs;
}

/// The largest difference of float outputs, in parts of the largest value.
double difference(const std::vector<runtime::Bytes>& a, const std::vector<runtime::Bytes>& b) {
  double largest = 0, apart = 0;
  for (std::size_t o = 0; o < a.size(); ++o)
    for (std::size_t i = 0; i + 4 <= a[o].size(); i += 4) {
      float x = 0, y = 0;
      std::memcpy(&x, a[o].data() + i, 4);
      std::memcpy(&y, b[o].data() + i, 4);
      largest = std::max(largest, static_cast<double>(std::abs(x)));
      apart = std::max(apart, static_cast<double>(std::abs(x - y)));
    }
  return apart / largest;
}

/// A kind of GPU that is there.
class GpuModules : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const TestDevice found = open_test_device(GetParam() == std::string("opencl") ? "" : GetParam());
    VDLA_SKIP_WITHOUT_DEVICE(found);
  }

  static void expect_equal_bytes(const graph::Graph& graph) {
    const Compiled cpu = compile_for(graph, ""), gpu = compile_for(graph, GetParam());
    EXPECT_EQ(gpu.segments, 1u);
    EXPECT_EQ(gpu.on_gpu, gpu.module.nodes.size());
    const Program& program = gpu.module.gpu.at(0).program;
    EXPECT_EQ(program.offsets.empty(), std::string(GetParam()) == kEmulator);
    if (!program.offsets.empty()) {
      std::size_t apart = 0;
      for (const std::size_t bytes : program.buffer_bytes)
        apart += (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
      EXPECT_LT(arena_bytes(program), apart);
    }
    for (const unsigned seed : {1u, 2u})
      EXPECT_EQ(outputs_of(gpu.module, seed), outputs_of(cpu.module, seed))
          << graph.name << ", input " << seed;
  }
};

TEST_P(GpuModules, OfDigitsHaveTheBytesOfTheCpu) { expect_equal_bytes(kit::read_network(kDigits)); }

/// Integers and floats, each template.
TEST_P(GpuModules, OfLayersForEachTemplateHaveTheValuesOfTheCpu) {
  const graph::Graph graph = pipeline::gpu::layers(3);
  const runtime::Module cpu = compile_for(graph, "").module, gpu = compile_for(graph, GetParam()).module;
  const auto expected = outputs_of(cpu, 5), seen = outputs_of(gpu, 5);
  for (std::size_t i = 0; i < cpu.outputs.size(); ++i) {
    if (cpu.outputs[i].model_type == runtime::DataType::Float32)
      EXPECT_LE(difference({expected[i]}, {seen[i]}), 1e-4) << cpu.outputs[i].name;
    else
      EXPECT_EQ(expected[i], seen[i]) << cpu.outputs[i].name;
  }
}

TEST_P(GpuModules, RunAgainAndAgainWithOtherInputs) {
  const runtime::Module module = compile_for(kit::read_network(kDigits), GetParam()).module;
  const runtime::Module cpu = compile_for(kit::read_network(kDigits), "").module;
  kit::Session session(module, "", {.gpu_times = true});
  for (const unsigned seed : {1u, 2u, 1u}) {
    const runtime::Result result = session.run_model(drawn_inputs(module, seed));
    EXPECT_EQ(result.outputs, outputs_of(cpu, seed));
    ASSERT_EQ(result.gpu.size(), 1u);
    EXPECT_EQ(result.gpu[0].layer_seconds.size(), module.steps.size());
    for (const double seconds : result.gpu[0].layer_seconds) EXPECT_GT(seconds, 0);
  }
}

/// Layers that are asked for, between those of the device.
TEST_P(GpuModules, BesideTheDeviceHaveTheSameBytes) {
  const graph::Graph graph = kit::read_network(kDigits);
  const Compiled cpu = compile_for(graph, "");
  const Compiled mixed = compile_for(graph, GetParam(), true, placed({"conv2.conv", "conv3.conv"}));
  EXPECT_GE(mixed.segments, 2u);
  EXPECT_TRUE(runtime::needs_device(mixed.module));
  EXPECT_EQ(outputs_of(mixed.module, 4), outputs_of(cpu.module, 4));
  for (const runtime::NodeInfo& node : mixed.module.nodes)
    if (node.name == "conv2.conv") EXPECT_EQ(node.bytes_to_device, 1024u);
}

/// Of integers, some of which the device has no instruction for: between its steps and behind them.
TEST_P(GpuModules, OfWhatTheDeviceLacksHaveTheSameBytes) {
  const graph::Graph graph = kit::parse_graph(R"(graph "lacking"
input %x: int8[1, 8, 8, 16]
const %w: int8[16, 3, 3, 16] = splat 3
const %v: int8[10, 1024] = splat 1
%a = conv2d "a"(%x, %w) {pads = [1, 1, 1, 1], out = {multiplier = [[1200000000, -9]]}}
%turned = transpose "turned"(%a) {perm = [0, 2, 1, 3]}
%b = conv2d "b"(%turned, %w) {pads = [1, 1, 1, 1], out = {multiplier = [[1200000000, -9]]}}
%flat = reshape "flat"(%b) {shape = [1, 1024]}
%dense = fully_connected "dense"(%flat, %v) {out = {multiplier = [[1200000000, -12]]}}
output %dense
)",
                                              "lacking");
  const Compiled cpu = compile_for(graph, ""), mixed = compile_for(graph, GetParam(), true);
  EXPECT_GE(mixed.segments, 1u);
  EXPECT_TRUE(runtime::needs_device(mixed.module));
  // All of it on the GPU: both convolutions do the same.
  const Compiled all = compile_for(graph, GetParam());
  EXPECT_EQ(all.module.gpu.at(0).program.parts.size() + 1, all.module.gpu[0].layers.size());
  EXPECT_EQ(outputs_of(all.module, 1), outputs_of(cpu.module, 1));
  for (const runtime::NodeInfo& node : mixed.module.nodes)
    if (node.name == "turned") {
      EXPECT_EQ(node.place, "gpu") << node.reason;
      EXPECT_EQ(node.bytes_to_device, 1024u);
      EXPECT_EQ(node.bytes_from_device, 1024u);
    }
  for (const unsigned seed : {1u, 2u})
    EXPECT_EQ(outputs_of(mixed.module, seed), outputs_of(cpu.module, seed));
}

TEST_P(GpuModules, BesideTheDeviceAtOnceHaveTheSameBytes) {
  const graph::Graph graph = kit::parse_graph(kBranches, "branches");
  const Compiled cpu = compile_for(graph, ""), mixed = compile_for(graph, GetParam(), true, without_start());
  // The GPU's part of the first branch begins in front of the device, the other's behind it; both are joined.
  ASSERT_EQ(mixed.segments, 2u);
  EXPECT_EQ(mixed.module.gpu[0].first_step, 0u);
  EXPECT_TRUE(std::holds_alternative<runtime::DeviceStep>(mixed.module.steps.at(1)));
  EXPECT_EQ(mixed.module.gpu[1].first_step, 2u);
  EXPECT_THAT(runtime::segments_needed_at(mixed.module), ::testing::ElementsAre(3, 3));
  kit::Session session(mixed.module, "functional", {});
  for (const unsigned seed : {1u, 2u, 3u})
    EXPECT_EQ(session.run_model(drawn_inputs(mixed.module, seed)).outputs, outputs_of(cpu.module, seed));
  // A transpose of 1024 bytes does not pay for a program of its own.
  const Compiled together = compile_for(graph, GetParam(), true);
  ASSERT_EQ(together.segments, 1u);
  EXPECT_EQ(together.module.gpu[0].first_step, 1u);
  EXPECT_EQ(outputs_of(together.module, 1), outputs_of(cpu.module, 1));
}

/// `turned` leaves, so it is no part of the sum's function; the convolution stays on the CPU.
TEST_P(GpuModules, BesideTheCpuHaveTheSameBytes) {
  const graph::Graph graph = kit::parse_graph(std::string(kBranches) + "output %turned\n", "branches");
  Asked asked = without_start();
  asked.on_cpu = {"a"};
  const runtime::Module mixed = compile_for(graph, GetParam(), false, asked).module;
  ASSERT_EQ(mixed.gpu.size(), 2u);
  EXPECT_EQ(mixed.gpu[0].first_step, 0u);
  EXPECT_EQ(mixed.gpu[1].first_step, 2u);
  EXPECT_THAT(runtime::segments_needed_at(mixed), ::testing::ElementsAre(2, 3));
  EXPECT_EQ(outputs_of(mixed, 1), outputs_of(compile_for(graph, "").module, 1));
}

TEST_P(GpuModules, OfAFloatNetworkAreCloseToTheCpus) {
  const Temporary folder(std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "networks");
  const std::string file = (folder.path() / "resnet8.onnx").string();
  ASSERT_EQ(run_command("zoo resnet8 --float -o '" + file + "'").status, 0);
  const graph::Graph graph = kit::read_network(file);
  const runtime::Module cpu = compile_for(graph, "").module, gpu = compile_for(graph, GetParam()).module;
  EXPECT_LE(difference(outputs_of(cpu, 3), outputs_of(gpu, 3)), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GpuModules, ::testing::Values("opencl", "emulator"), kNamedByText);

class MlPerfTinyOnGpus : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// All on the GPU; and beside the device, which has no instruction for softmax.
TEST_P(MlPerfTinyOnGpus, HaveTheBytesOfTheCpu) {
  const auto& [name, kind] = GetParam();
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kind == std::string("opencl") ? "" : kind));
  const char* data = std::getenv("VDLA_DATA");
  if (!data) GTEST_SKIP() << "VDLA_DATA is not set: no networks of MLPerf Tiny";
  const graph::Graph graph = kit::read_network(std::string(data) + "/mlperf_tiny/models/" + name + ".tflite");
  const auto expected = outputs_of(compile_for(graph, "").module, 1);
  const Compiled all = compile_for(graph, kind), mixed = compile_for(graph, kind, true);
  EXPECT_EQ(all.segments, 1u);
  EXPECT_EQ(all.on_gpu, all.module.nodes.size());
  EXPECT_EQ(outputs_of(all.module, 1), expected);
  if (mixed.segments == 0) return;  // the device takes all of it
  EXPECT_EQ(mixed.module.nodes.back().op, "softmax");
  EXPECT_EQ(mixed.module.nodes.back().place, "gpu");
  EXPECT_EQ(outputs_of(mixed.module, 1), expected);
}
INSTANTIATE_TEST_SUITE_P(Networks, MlPerfTinyOnGpus,
                         ::testing::Combine(::testing::Values("pretrainedResnet_quant", "vww_96_int8",
                                                              "kws_ref_model", "ad01_int8"),
                                            ::testing::Values("opencl", "emulator")),
                         [](const auto& info) {
                           return test_name(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                         });

TEST_F(GpuModuleCommands, CompileExplainRunAndEvalOnADriverOfOpenCl) {
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device());
  const CommandResult compiled = compile("opencl");
  EXPECT_EQ(compiled.status, 0) << compiled.output;
  EXPECT_THAT(compiled.output, AllOf(HasSubstr("8 on the GPU, 0 on the CPU"),
                                     HasSubstr("GPU (opencl): steps 0 to 6 in 7 launches"),
                                     HasSubstr("a run copies 64 bytes to it and 10 back")));
  EXPECT_THAT(run_command("explain " + path("net.vdla")).output,
              AllOf(HasSubstr("the target is the GPU, computed with 'add'"), HasSubstr("by template 'tiles'"),
                    HasSubstr("GPU (opencl): steps 0 to 6")));
  EXPECT_THAT(run_command("info " + path("net.vdla")).output, HasSubstr("programs of a GPU"));
  const CommandResult ran = run_command("run " + path("net.vdla") + " --random-input 3 --json");
  EXPECT_EQ(ran.status, 0) << ran.output;
  const auto json = nlohmann::json::parse(ran.output);
  EXPECT_EQ(json["gpu"]["layers"].size(), 7u);
  EXPECT_EQ(json["gpu"]["bytes_to_gpu"], 64);
  EXPECT_GT(json["gpu"]["layers"][0]["seconds"], 0);
  EXPECT_EQ(json["host_steps"].size(), 0u);
  const std::string images = fmt::format(
      "--inputs '{0}/examples/digits/images.npy' --labels "
      "'{0}/examples/digits/labels.csv' --limit 40",
      VDLA_SOURCE_DIR);
  const CommandResult gpu = run_command("eval --json " + path("net.vdla") + " " + images);
  EXPECT_EQ(gpu.status, 0) << gpu.output;
  EXPECT_EQ(compile("cpu").status, 0);
  const CommandResult cpu = run_command("eval --json " + path("net.vdla") + " " + images);
  EXPECT_EQ(nlohmann::json::parse(gpu.output)["correct"], nlohmann::json::parse(cpu.output)["correct"]);
}

TEST_F(GpuModuleCommands, InterpretRunsTheLoopsOfTheCpu) {
  EXPECT_EQ(compile("opencl").status, 0);
  const CommandResult ran = run_command("run --interpret --json " + path("net.vdla") + " --random-input 3");
  EXPECT_EQ(ran.status, 0) << ran.output;
  const auto json = nlohmann::json::parse(ran.output);
  EXPECT_FALSE(json.contains("gpu"));
  EXPECT_EQ(json["host_steps"].size(), 7u);
}

/// Beside the device's cycles.
TEST_F(GpuModuleCommands, ARecordAndItsReportHaveTheGpusRow) {
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator));
  EXPECT_EQ(compile("vdla,emulator", "--place pool=gpu").status, 0);
  const CommandResult ran = run_command("run " + path("net.vdla") +
                                        " --random-input 3 --engine systemc --record " + path("run.json"));
  if (ran.output.find("SystemC") != std::string::npos) GTEST_SKIP() << ran.output;
  EXPECT_EQ(ran.status, 0) << ran.output;
  const auto record = nlohmann::json::parse(bytes("run.json"));
  ASSERT_TRUE(record.contains("gpu"));
  EXPECT_EQ(record["gpu"]["layers"].back()["name"], "pool");
  const CommandResult reported = run_command("report " + path("run.json") + " -o " + path("run.html"));
  EXPECT_EQ(reported.status, 0) << reported.output;
  EXPECT_THAT(reported.output, AllOf(HasSubstr("on the GPU"), HasSubstr("emulator: kernels ")));
  EXPECT_THAT(bytes("run.html"), AllOf(HasSubstr("gpuRows"), HasSubstr("\"template\":\"sums\"")));
  auto damaged = record;
  damaged["gpu"]["layers"].back().erase("op");
  std::ofstream(folder_.path() / "damaged.json") << damaged;
  const CommandResult refused = run_command("report " + path("damaged.json") + " -o " + path("run.html"));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, ContainsRegex("/gpu/layers/[0-9]+/op is missing, needs string"));
}

TEST_F(GpuModuleCommands, FlagsOfAGpuThatNothingRunsOnAreRefused) {
  EXPECT_EQ(compile("emulator", "").status, 0);
  EXPECT_THAT(run_command("run " + path("net.vdla") + " --random-input 3 --interpret --gpu emulator").output,
              HasSubstr("--gpu is for a GPU of this machine, and with --interpret none runs anything"));
  EXPECT_THAT(
      run_command(fmt::format("explain '{}' --target opencl,cpu --device-start-us 5", kDigits)).output,
      HasSubstr("--device-start-us says what the device does"));
}

/// The device stands still meanwhile: none of its instructions is at work during a kernel of the GPU.
TEST_F(GpuModuleCommands, ATimelineHasTheGpusRow) {
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator));
  EXPECT_EQ(compile("vdla,emulator", "--place pool=gpu").status, 0);
  const CommandResult ran = run_command("run " + path("net.vdla") +
                                        " --random-input 3 --engine systemc --timeline " + path("t.json"));
  if (ran.output.find("SystemC") != std::string::npos) GTEST_SKIP() << ran.output;
  EXPECT_EQ(ran.status, 0) << ran.output;
  const auto events = nlohmann::json::parse(bytes("t.json"))["traceEvents"];
  int row = -1;
  for (const auto& e : events)
    if (e["name"] == "thread_name" && e["args"]["name"] == "GPU") row = e["tid"];
  ASSERT_GE(row, 0);
  std::vector<std::pair<double, double>> kernels, instructions;
  std::vector<std::string> names;
  for (const auto& e : events) {
    if (e["ph"] != "X") continue;
    const double begin = e["ts"], end = begin + e["dur"].get<double>();
    (e["tid"] == row ? kernels : instructions).emplace_back(begin, end);
    if (e["tid"] == row) names.push_back(e["name"]);
  }
  EXPECT_THAT(names, ::testing::Contains("pool"));
  bool before = false, behind = false;
  for (const auto& [begin, end] : kernels) {
    EXPECT_LT(begin, end);
    for (const auto& [from, until] : instructions) {
      EXPECT_TRUE(until <= begin || from >= end) << from << " to " << until << ", " << begin << " to " << end;
      before |= until <= begin;
      behind |= from >= end;
    }
  }
  EXPECT_TRUE(before && behind);
}

/// A kernel of the GPU beside a step of the device: in what explain says, in the record, and in the timeline,
/// where the device waits for it in front of the step that needs it.
TEST_F(GpuModuleCommands, WhatRunsBesideTheDeviceIsTold) {
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator));
  std::ofstream(folder_.path() / "branches.graph") << kBranches;
  const std::string options =
      path("branches.graph") + " --target vdla,emulator --partition capable --gpu-start-us 0";
  EXPECT_THAT(run_command("explain " + options).output,
              AllOf(ContainsRegex("step 0 in 1 launch; .* 1024 back; beside it run step 1 of the device\n"),
                    ContainsRegex("step 2 in 1 launch; .* 1024 back\n")));
  EXPECT_EQ(run_command("compile " + options + " -o " + path("net.vdla")).status, 0);
  const auto json = nlohmann::json::parse(run_command("explain --json " + path("net.vdla")).output);
  EXPECT_EQ(json["gpu"][0]["beside"]["device_steps"], nlohmann::json({1}));
  const CommandResult ran =
      run_command("run " + path("net.vdla") + " --random-input 3 --engine systemc --timeline " +
                  path("t.json") + " --record " + path("run.json"));
  if (ran.output.find("SystemC") != std::string::npos) GTEST_SKIP() << ran.output;
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, ContainsRegex("device and GPU together: [0-9]+ cycles"));
  const auto gpu = nlohmann::json::parse(bytes("run.json"))["gpu"];
  const auto end_of = [](const nlohmann::json& span) {
    return span["begin"].get<std::uint64_t>() + span["cycles"].get<std::uint64_t>();
  };
  const auto& steps = gpu["beside"]["device"];
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(gpu["layers"][0]["begin"], 0);
  EXPECT_EQ(steps[0]["begin"], 0);
  EXPECT_GE(gpu["layers"][1]["begin"], end_of(steps[0]));
  EXPECT_EQ(steps[1]["begin"],
            std::max({end_of(steps[0]), end_of(gpu["layers"][0]), end_of(gpu["layers"][1])}));
  EXPECT_EQ(gpu["beside"]["cycles"], end_of(steps[1]));
  const auto events = nlohmann::json::parse(bytes("t.json"))["traceEvents"];
  const auto turned = std::ranges::find_if(events, [](const auto& e) { return e["name"] == "turned"; });
  ASSERT_NE(turned, events.end());
  bool beside = false;
  for (const auto& e : events)
    beside |= e["ph"] == "X" && e["tid"] != (*turned)["tid"] && e["ts"] < (*turned)["dur"];
  EXPECT_EQ((*turned)["ts"], 0);
  EXPECT_TRUE(beside);
  auto damaged = nlohmann::json::parse(bytes("run.json"));
  damaged["gpu"]["beside"]["device"][1].erase("begin");
  std::ofstream(folder_.path() / "damaged.json") << damaged;
  EXPECT_THAT(run_command("report " + path("damaged.json") + " -o " + path("run.html")).output,
              HasSubstr("/gpu/beside/device/1/begin is missing, needs number"));
}

TEST_F(GpuModuleCommands, AListComparesCostsAndPlaceDecides) {
  // The CPU makes the taps of the first layer before a GPU has begun.
  const CommandResult costs =
      run_command(fmt::format("explain '{}' --target vdla,opencl,cpu --json", kDigits));
  const auto json = nlohmann::json::parse(costs.output);
  EXPECT_EQ(json["nodes"][0]["place"], "cpu");
  EXPECT_THAT(json["nodes"][0]["reason"].get<std::string>(),
              HasSubstr("costs less on the CPU: 1 step together: on the GPU 5 us and 20 us at the border"));
  EXPECT_THAT(
      run_command(fmt::format("explain '{}' --target vdla,opencl,cpu --gpu-start-us 0 --host-gops 1e-6 "
                              "--place pool=gpu",
                              kDigits))
          .output,
      AllOf(HasSubstr("gpu       0"), HasSubstr("placed on the GPU on request; on the GPU by template")));
  // What is placed takes nothing along that costs less elsewhere.
  const auto apart = nlohmann::json::parse(
      run_command(fmt::format("explain '{}' --target opencl,cpu --host-gops 1e6 --host-gbytes 1e6 --json "
                              "--place pool=gpu",
                              kDigits))
          .output);
  int stay = 0;
  for (const auto& node : apart["nodes"]) {
    const std::string reason = node["reason"], place = node["place"];
    if (node["name"] == "pool") {
      EXPECT_EQ(place, "gpu");
    }
    stay += place == "cpu" && reason.find("costs less on the CPU") != std::string::npos;
  }
  EXPECT_GE(stay, 3) << apart["nodes"];
  EXPECT_THAT(run_command(fmt::format("explain '{}' --target vdla,opencl --place mean=cpu", kDigits)).output,
              HasSubstr("mean            avg_pool2d       cpu"));
}

TEST_F(GpuModuleCommands, ShowWhatTheRowsOfTheGpusTableMake) {
  for (const auto& [kind, table] : {std::pair("opencl", "opencl"), {"cuda", "cuda"}, {"emulator", "cuda"}}) {
    const CommandResult result = run_command(
        fmt::format("compile '{}' --target {} --print-after=all -o {}", kDigits, kind, path("x")));
    EXPECT_EQ(result.status, 0);
    std::size_t at = 0;
    for (const passes::Pass& row : passes::find_target(table).rows) {
      const auto shown = result.output.find(fmt::format("# after {} of 'add', function ", row.name), at);
      // Rows of the CPU's table come first and share names; the first row is the GPU's alone.
      ASSERT_NE(shown, std::string::npos) << row.name << " in the order of the table for " << table;
      at = shown;
    }
    EXPECT_THAT(result.output.substr(at), HasSubstr("block.x {"));
  }
}

TEST_F(GpuModuleCommands, RefuseInOneSentence) {
  const std::pair<std::string, std::string> cases[] = {
      {"--target vdla,opencl,cuda", "has two kinds of GPU, needs one at most"},
      {"--target opencl,opencl", "has 'opencl' twice, leave one out"},
      {"--target opncl", "did you mean 'opencl'"},
      {"--target opencl --place x=gpu", "no node 'x' in the network"},
      {"--target opencl --place pool", "'pool' is not NODE=cpu or NODE=gpu"},
      {"--place pool=gpu",
       "--place pool=gpu: --target vdla has no GPU; needs one there, as vdla,cuda,cpu, or NODE=cpu"},
      {"--gpu-machine server", "--gpu-machine is for kernels of a GPU, and --target vdla has none"},
      {"--target opencl --gpu-gops 3", "--gpu-gops is for costs of the GPU beside those of the CPU"},
      {"--target opencl --emit c --name x",
       "--emit c makes C for a processor, and --target opencl has a GPU"},
      {"--target opencl --vthreads 2",
       "--vthreads says what the device does, and --target opencl leaves nothing"},
  };
  for (const auto& [options, says] : cases) {
    const CommandResult result =
        run_command(fmt::format("compile '{}' {} -o {}", kDigits, options, path("x")));
    EXPECT_NE(result.status, 0) << options;
    EXPECT_THAT(result.output, HasSubstr(says)) << options;
  }
  EXPECT_EQ(compile("cpu").status, 0);
  EXPECT_THAT(
      run_command("run " + path("net.vdla") + " --random-input 1 --gpu cuda").output,
      HasSubstr("--gpu is for a module with programs of a GPU, and 'digits' for target 'cpu' has none"));
  EXPECT_EQ(compile("opencl").status, 0);
  EXPECT_THAT(run_command("run " + path("net.vdla") + " --random-input 1 --gpu cuda:1 --fallback cpu").output,
              HasSubstr("--gpu cuda:1 is a device of 'cuda', and the module's programs are for 'opencl'"));
}

TEST_F(GpuModuleCommands, ADriverThatIsNotHereIsNamedAndTheCpuComputesOnRequest) {
  EXPECT_EQ(compile("opencl").status, 0);
  const std::string run = "run " + path("net.vdla") + " --random-input 3 --gpu 'no such device'";
  const CommandResult refused = run_command(run);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("'digits' needs a GPU: "),
                                    HasSubstr("; --fallback cpu runs its steps on the CPU")));
  const CommandResult behind = run_command(run + " --fallback cpu --output " + path("behind.npy"));
  EXPECT_EQ(behind.status, 0) << behind.output;
  EXPECT_THAT(behind.output, AllOf(HasSubstr("note: 'digits' needs a GPU: "),
                                   HasSubstr("; the CPU runs the GPU's steps (--fallback cpu)")));
  EXPECT_EQ(compile("cpu").status, 0);
  EXPECT_EQ(run_command("run " + path("net.vdla") + " --random-input 3 --output " + path("cpu.npy")).status,
            0);
  EXPECT_EQ(bytes("behind.npy"), bytes("cpu.npy"));
}

}  // namespace
}  // namespace vdla::gpu
