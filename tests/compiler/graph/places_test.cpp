// SPDX-License-Identifier: Apache-2.0
// Places that must know an operator of the graph and that no compiler asks for: where one is missing, results
// are wrong or slow without a word. Each failure names the operator, the file and what to write there.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "compiler/graph/op.h"
#include "tests/compiler/how_to_page.h"

namespace vdla::graph {
namespace {

template <class T>
constexpr bool kHasOutputStage = requires(const T& op) { op.out.multiplier; };

TEST(Places, SumsOfEveryOutputStageAreLimited) {
  const std::string file = "compiler/graph/sums.cpp", text = testing::read_source(file);
#define VDLA_EXPECT(type, name, fusion)                                                \
  if (kHasOutputStage<type>) {                                                         \
    EXPECT_NE(text.find("[&](" #type "& op)"), std::string::npos)                      \
        << "'" name "' has an output stage, so limit_sums() of " << file               \
        << " needs a line for it: else sums beyond int32 are wrong without a message"; \
  }
  VDLA_GRAPH_OPS(VDLA_EXPECT)
#undef VDLA_EXPECT
}

TEST(Places, EveryInjectiveOperatorSaysHowItIsFused) {
  // Reads elements at places that a search or a border decides.
  const std::set<std::string> neither = {"pad", "concat", "im2col", "gather", "gather_elements", "gather_nd"};
  const std::string file = "compiler/graph/fuse.cpp", text = testing::read_source(file);
#define VDLA_EXPECT(type, name, fusion)                                                \
  if (FusionClass::fusion == FusionClass::Injective) {                                 \
    EXPECT_EQ(text.find("[](const " #type "&) { return true; }") == std::string::npos, \
              neither.contains(name))                                                  \
        << "'" name "' is injective: elementwise() or moves() of " << file             \
        << " needs a line for it, or this test its name where it is neither";          \
  }
  VDLA_GRAPH_OPS(VDLA_EXPECT)
#undef VDLA_EXPECT
}

}  // namespace
}  // namespace vdla::graph
