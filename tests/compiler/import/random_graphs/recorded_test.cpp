// SPDX-License-Identifier: Apache-2.0
// Drawn graphs through import, all passes and the interpreter, held to what ONNX Runtime answers.
#include <gtest/gtest.h>

#include "support/error.h"
#include "tests/compiler/import/random_graphs/recorded.h"

namespace vdla::random_graphs {
namespace {

TEST(RandomGraphs, AreTheSameForASeed) {
  EXPECT_EQ(hash_of(draw(7)), hash_of(draw(7)));
  EXPECT_NE(hash_of(draw(7)), hash_of(draw(8)));
}

TEST(RandomGraphs, GiveTheRecordedAnswers) {
  const std::vector<Recorded> all =
      read_recorded(VDLA_SOURCE_DIR "/tests/compiler/import/random_graphs/recorded.txt");
  EXPECT_EQ(all.size(), 200u);
  for (const Recorded& r : all) {
    const Drawn drawn = draw(r.seed);
    ASSERT_EQ(hash_of(drawn), r.hash)
        << "seed " << r.seed << " draws another graph than the one recorded: `random_graphs --record`";
    const Ran ran = run_here(drawn, Place::Interpreter);
    EXPECT_EQ(ran.refused + ran.broken, "") << "seed " << r.seed << ": " << describe(drawn);
    if (ran.refused.empty() && ran.broken.empty())
      EXPECT_EQ(compare(ran.outputs, r), "") << "seed " << r.seed << ": " << describe(drawn);
  }
}

TEST(RandomGraphs, RecordsAreReadAsWritten) {
  const Recorded one{
      5, 0xabc, {{DataType::Float32, {2, 1}, 0.5, {1.5, -2}}, {DataType::Int8, {}, 0, {-128}}}};
  const std::vector<Recorded> read = parse_recorded("# what a file says of itself\n" + to_text(one));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(to_text(read[0]), to_text(one));
  EXPECT_THROW(parse_recorded("float32 1 0 1\n"), UserError);
}

TEST(RandomGraphs, AWrongElementIsNamed) {
  const import::Array have = array_of(DataType::Float32, {2}, {1, 2});
  const Recorded same{1, 0, {{DataType::Float32, {2}, 0.1, {1, 2.05}}}},
      other{1, 0, {{DataType::Float32, {2}, 0.1, {1, 3}}}};
  EXPECT_EQ(compare({have}, same), "");
  EXPECT_EQ(compare({have}, other), "output 0: element 1 of those recorded is 2, right is 3 within 0.1");
}

}  // namespace
}  // namespace vdla::random_graphs
