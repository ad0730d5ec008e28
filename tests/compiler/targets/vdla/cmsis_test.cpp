// SPDX-License-Identifier: Apache-2.0
// The published int8 operator cases of CMSIS-NN as programs of the device.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "compiler/targets/vdla/templates/from_graph.h"
#include "tests/compiler/import/data.h"
#include "tests/compiler/pipeline/cmsis_case.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

Int8s values(const graph::Bytes& bytes) {
  Int8s result(bytes.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

/// By isa/semantics with units that interleave at random, and on the functional engine.
void expect_case(const testing::CmsisCase& c, const Op& op, const isa::Geometry& g) {
  SCOPED_TRACE(g.block_in);
  std::mt19937 random(1);
  const isa::Program program = program_of(op, lower(op, g, {}), g);
  std::vector<Int8s> inputs;
  for (const graph::Bytes& input : c.inputs) inputs.push_back(values(input));
  const Int8s expected = values(c.expected);
  EXPECT_EQ(run_semantics(op, program, inputs, random), expected);
  EXPECT_EQ(run_functional(op, program, inputs), expected);
}

TEST(CmsisNn, EveryInt8CaseOfADeviceOperatorIsExact) {
  VDLA_NEED_DATA();
  std::map<std::string_view, int> compared;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_folder() / "cmsis_nn/json")) {
    SCOPED_TRACE(entry.path().stem().string());
    const auto c = testing::cmsis_case(entry.path());
    if (!c || c->graph.nodes.size() != 1) continue;
    for (const isa::Geometry& g : {tiny(), oblong(), paper(), quads()}) {
      const auto layer = layer_of(c->graph, c->graph.nodes[0], g);
      const auto* node = std::get_if<Layer>(&layer);
      if (!node) continue;
      expect_case(*c, node->op, g);
      ++compared[kind_of(node->op)];
    }
  }
  for (const auto& [kind, least] : std::map<std::string_view, int>{
           {"conv2d", 100}, {"depthwise_conv2d", 32}, {"add", 4}, {"avg_pool2d", 12}, {"max_pool2d", 24}}) {
    EXPECT_GE(compared[kind], least) << kind;
  }
}

}  // namespace
}  // namespace vdla::pipeline::device
