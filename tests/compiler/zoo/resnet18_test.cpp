// SPDX-License-Identifier: Apache-2.0
// ResNet-18 of the zoo: the file.
#include "compiler/zoo/zoo.h"
#include "tests/compiler/zoo/model_file.h"

namespace vdla::testing {
namespace {

TEST(ZooResnet18, BothFormsAreValidOnnx) {
  for (zoo::Form form : {zoo::Form::Qdq, zoo::Form::Float}) expect_valid(zoo::make_onnx("resnet18", 1, form));
}

TEST(ZooResnet18, BecomesIntegerLayers) {
  const std::string bytes = zoo::make_onnx("resnet18", 1, zoo::Form::Qdq);
  EXPECT_EQ(digest(bytes), 12122198860020949934u) << "see Zoo.BytesAreTheSameOnEveryMachine";
  const graph::Graph g = imported(bytes);
  std::map<std::string, int> ops = operators(g);
  ops.erase("reshape");
  const std::map<std::string, int> expected{
      {"add", 8}, {"conv2d", 20}, {"fully_connected", 1}, {"max_pool2d", 1}, {"sum_pool2d", 1}};
  EXPECT_EQ(ops, expected);
  std::int64_t total = 0;
  for (const graph::Node& node : g.nodes) total += macs(g, node);
  EXPECT_EQ(total, 1'814'073'344);
}

}  // namespace
}  // namespace vdla::testing
