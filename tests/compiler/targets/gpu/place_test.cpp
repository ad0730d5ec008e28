// SPDX-License-Identifier: Apache-2.0
// compile() with a GPU among the targets: what it takes, what is placed, what is said at the nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/graph/text/text.h"
#include "compiler/pipeline/compile.h"
#include "compiler/targets/target.h"
#include "isa/variants/variants.h"
#include "tests/compiler/user_error.h"

namespace vdla::targets {
namespace {

using pipeline::Place;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The device has no softmax.
graph::Graph network() {
  return graph::parse(R"(graph "g"
input %x: int8[1, 8, 8, 16]
const %w: int8[16, 3, 3, 16] = splat 3
%conv = conv2d "conv"(%x, %w) {pads = [1, 1, 1, 1], out = {multiplier = [[1200000000, -9]]}}
%flat = reshape "flat"(%conv) {shape = [64, 16]}
%softmax = softmax "softmax"(%flat) {input = [1200000000, 20], diff_min = -100}
output %softmax
)");
}

pipeline::CompileOptions options(bool use_device) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("tiny");
  options.use_device = use_device;
  options.machine_code = false;
  options.gpu = gpu_options("opencl", "");
  return options;
}

std::map<std::string, Place> places(const pipeline::CompiledModel& model) {
  std::map<std::string, Place> places;
  for (const pipeline::NodeReport& node : model.nodes) places[node.name] = node.place;
  return places;
}

const std::string& reason(const pipeline::CompiledModel& model, const std::string& name) {
  return std::ranges::find(model.nodes, name, &pipeline::NodeReport::name)->reason;
}

TEST(PlaceOnGpu, ACompileGivesItWhatTheDeviceDoesNotTake) {
  const auto model = pipeline::compile(network(), options(true));
  EXPECT_EQ(places(model).at("conv"), Place::Device);
  EXPECT_EQ(places(model).at("softmax"), Place::Gpu);
  EXPECT_THAT(reason(model, "softmax"), HasSubstr("; on the GPU by template 'rows'"));
  ASSERT_EQ(model.gpu.size(), 1u);
  EXPECT_EQ(model.gpu[0].kind, "opencl");
  EXPECT_EQ(model.gpu[0].first_step, model.steps.size() - 1);
}

TEST(PlaceOnGpu, AloneItGetsAllOfTheNetwork) {
  const auto model = pipeline::compile(network(), options(false));
  for (const auto& [name, place] : places(model)) EXPECT_EQ(place, Place::Gpu) << name;
  ASSERT_EQ(model.gpu.size(), 1u);
  EXPECT_EQ(model.gpu[0].network.functions.size(), model.steps.size());
}

TEST(PlaceOnGpu, ANodeIsPlacedThereAndAnotherKeptOff) {
  pipeline::CompileOptions asked = options(true);
  asked.on_gpu = {"conv"};
  asked.on_cpu = {"softmax"};
  const auto model = pipeline::compile(network(), asked);
  EXPECT_EQ(places(model).at("conv"), Place::Gpu);
  EXPECT_EQ(places(model).at("softmax"), Place::Cpu);
  EXPECT_THAT(reason(model, "conv"), StartsWith("placed on the GPU on request"));
}

TEST(PlaceOnGpu, APlaceWithoutOneIsRefused) {
  pipeline::CompileOptions asked = options(true);
  asked.gpu.reset();
  asked.on_gpu = {"conv"};
  EXPECT_THAT(user_error([&] { pipeline::compile(network(), asked); }),
              HasSubstr("node 'conv' is wanted on the GPU, and no GPU is among the targets; ask for one"));
}

/// The CPU's figures are those by which islands of the device are weighed.
TEST(PlaceOnGpu, TheCpuKeepsWhatCostsLessThere) {
  pipeline::CompileOptions asked = options(false);
  asked.gpu->cpu_keeps = true;
  asked.gpu->speed.start_seconds = 1;
  const auto model = pipeline::compile(network(), asked);
  EXPECT_TRUE(model.gpu.empty());
  for (const auto& [name, place] : places(model)) EXPECT_EQ(place, Place::Cpu) << name;
  double seconds = 0;
  for (graph::NodeId n = 0; n < static_cast<graph::NodeId>(model.graph.nodes.size()); ++n)
    seconds += cpu().seconds({model.graph, {&n, 1}, asked});
  EXPECT_THAT(reason(model, "softmax"),
              HasSubstr("on the CPU " + std::to_string(std::lround(1e6 * seconds)) + " us"));
}

TEST(PlaceOnGpu, ACompileShowsTheRowsOfTheKindsTable) {
  for (const std::string& kind : gpu_kinds()) {
    pipeline::CompileOptions asked = options(true);
    asked.gpu = gpu_options(kind, "");
    std::vector<std::string> shown, rows;
    asked.observer = [&](const pipeline::PassResult& result) {
      if (result.gpu == kind && result.layer == "softmax") shown.emplace_back(name_of(result.pass));
    };
    pipeline::compile(network(), asked);
    for (const char* before : {"schedule", "lower", "simplify-lowered"}) rows.emplace_back(before);
    const passes::Target table = gpu_target(kind).table({}, {});
    for (const passes::Pass& row : table.rows) rows.emplace_back(row.name);
    EXPECT_EQ(shown, rows) << kind;
  }
}

}  // namespace
}  // namespace vdla::targets
