// SPDX-License-Identifier: Apache-2.0
// Places that must know an operator of the graph and that no compiler asks for: where one is missing, results
// are wrong or slow without a word. Each failure names the operator, the file and what to write there.
#include <gtest/gtest.h>

#include <string>

#include "compiler/graph/op.h"
#include "tests/compiler/how_to_page.h"

namespace vdla::graph {
namespace {

template <class T>
constexpr bool kHasOutputStage = requires(const T& op) { op.out.multiplier; };

template <class T>
constexpr bool kSaysItsSum = requires(const T& op) { op.largest_sum(); };

TEST(Places, SumsOfEveryOutputStageAreLimited) {
  const std::string file = "compiler/graph/sums.cpp", text = testing::read_source(file);
#define VDLA_EXPECT(type, name, fusion)                                                               \
  if (kHasOutputStage<type> && !kSaysItsSum<type>) {                                                  \
    EXPECT_NE(text.find("[&](" #type "& op)"), std::string::npos)                                     \
        << "'" name "' has an output stage, so limit_sums() of " << file                              \
        << " needs a line for it, or it a largest_sum(): else sums beyond int32 are wrong without a " \
           "message";                                                                                 \
  }
  VDLA_GRAPH_OPS(VDLA_EXPECT)
#undef VDLA_EXPECT
}

}  // namespace
}  // namespace vdla::graph
