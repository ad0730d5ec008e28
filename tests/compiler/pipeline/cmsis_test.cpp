// SPDX-License-Identifier: Apache-2.0
// The published operator cases of CMSIS-NN on the interpreter.
#include <gmock/gmock.h>

#include "compiler/pipeline/reference.h"
#include "tests/compiler/import/data.h"
#include "tests/compiler/pipeline/cmsis_case.h"

namespace vdla::pipeline {
namespace {

TEST(CmsisNn, EveryInt8CaseIsExact) {
  VDLA_NEED_DATA();
  std::map<std::string_view, int> compared;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_folder() / "cmsis_nn/json")) {
    SCOPED_TRACE(entry.path().stem().string());
    const auto c = testing::cmsis_case(entry.path());
    if (!c) continue;
    EXPECT_EQ(Reference(c->graph).run(c->inputs).at(0), c->expected) << c->graph.name;
    ++compared[name_of(c->graph.nodes.back().op)];
  }
  for (const char* op : {"conv2d", "depthwise_conv2d", "fully_connected", "add", "avg_pool2d", "max_pool2d",
                         "maximum", "minimum", "softmax", "transpose"})
    EXPECT_GT(compared[op], 0) << op;
}

TEST(CmsisNn, EveryCaseIsRead) {
  VDLA_NEED_DATA();
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_folder() / "cmsis_nn/json")) {
    const auto& path = entry.path();
    ++cases;
    EXPECT_TRUE(testing::cmsis_case(path) || testing::cmsis_case16(path) || testing::cmsis_recurrent(path))
        << path;
  }
  EXPECT_GE(cases, 157);
}

TEST(CmsisNn, EveryInt16CaseIsExact) {
  VDLA_NEED_DATA();
  std::map<std::string, int> compared;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_folder() / "cmsis_nn/json")) {
    SCOPED_TRACE(entry.path().stem().string());
    const auto c = testing::cmsis_case16(entry.path());
    if (!c) continue;
    EXPECT_EQ(Reference(c->graph).run(c->inputs).at(0), c->expected) << c->graph.name;
    ++compared[testing::cmsis_kind(entry.path())];
  }
  const std::map<std::string, int> least = {{"add, int16 x int8", 2},
                                            {"avg_pool, int16 x int8", 4},
                                            {"batch_matmul, int16 x int8", 3},
                                            {"conv, int16 x int8", 11},
                                            {"depthwise_conv, int16 x int8", 10},
                                            {"fully_connected, int16 x int8", 2},
                                            {"max_pool, int16 x int8", 2},
                                            {"mul, int16 x int8", 1},
                                            {"softmax, int16 x int8", 1},
                                            {"softmax, int8 to int16", 1}};
  for (const auto& [kind, cases] : least) EXPECT_GE(compared[kind], cases) << kind;
}

TEST(CmsisNn, EveryRecurrentCaseIsExact) {
  VDLA_NEED_DATA();
  std::map<std::string, int> compared;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_folder() / "cmsis_nn/json")) {
    SCOPED_TRACE(entry.path().stem().string());
    const auto c = testing::cmsis_recurrent(entry.path());
    if (!c) continue;
    Reference reference(c->graph);
    for (const auto& inputs : c->before) reference.run(inputs);
    EXPECT_EQ(reference.run(c->inputs).at(0), c->expected) << c->graph.name;
    ++compared[testing::cmsis_kind(entry.path())];
  }
  const std::map<std::string, int> least = {{"lstm", 3}, {"lstm, int16 x int8", 4}, {"svdf", 5}};
  for (const auto& [kind, cases] : least) EXPECT_GE(compared[kind], cases) << kind;
}

}  // namespace
}  // namespace vdla::pipeline
