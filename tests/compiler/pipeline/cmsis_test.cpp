// SPDX-License-Identifier: Apache-2.0
// The published int8 operator cases of CMSIS-NN on the interpreter.
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

}  // namespace
}  // namespace vdla::pipeline
