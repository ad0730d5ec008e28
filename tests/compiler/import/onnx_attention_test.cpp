// SPDX-License-Identifier: Apache-2.0
// Attention and RotaryEmbedding: graphs of constants, which the importer computes; values by hand.
#include <cmath>

#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using testing::graph_in_set;
using testing::near;
using testing::refused;
using testing::values_in_set;

/// One query 0, keys 0 and ln 3, values 10 and 30.
const std::string kQuery = "float[1,1,1,1] q = {0}";
const std::string kOne = "float[1,1,1,1] q = {1}";
const std::string kKeys = ", float[1,1,2,1] k = {0, 1.0986123}, float[1,1,2,1] v = {10, 30}";

std::string attention(const std::string& attributes, const std::string& inputs,
                      const std::string& more_inputs = "", const std::string& outputs = "y") {
  std::string declared;
  for (const char c : outputs) declared += c == ',' ? ", float " : std::string(1, c);
  return "g (" + inputs + ") => (float " + declared + ") { " + outputs + " = Attention " +
         (attributes.empty() ? "" : "<" + attributes + "> ") + "(q, k, v" + more_inputs + ") }";
}

TEST(OnnxAttention, WeighsValuesByTheScores) {
  EXPECT_THAT(values_in_set(23, attention("", kQuery + kKeys)), ElementsAre(near(20)));
  EXPECT_THAT(values_in_set(23, attention("", kOne + kKeys)), ElementsAre(near(25)));
  EXPECT_THAT(values_in_set(23, attention("scale = 2.0", kOne + kKeys)), ElementsAre(near(28)));  // 1 : 9
}

/// The size of a head is 4, so that scores are halved.
TEST(OnnxAttention, DividesByTheRootOfTheSize) {
  EXPECT_THAT(values_in_set(23, attention("",
                                          "float[1,1,1,4] q = {1, 1, 0, 0}, float[1,1,2,4] k = {0, 0, 0, 0, "
                                          "1.0986123, 1.0986123, 5, 5}, float[1,1,2,1] v = {10, 30}")),
              ElementsAre(near(25)));
}

TEST(OnnxAttention, ABooleanMaskHidesKeys) {
  const std::string mask = ", bool[1,2] m = ";
  EXPECT_THAT(values_in_set(23, attention("", kOne + kKeys + mask + "{0, 1}", ", m")), ElementsAre(near(30)));
  EXPECT_THAT(values_in_set(23, attention("", kOne + kKeys + mask + "{1, 0}", ", m")), ElementsAre(near(10)));
}

TEST(OnnxAttention, AQueryThatSeesNoKeyGivesZeros) {
  EXPECT_THAT(values_in_set(23, attention("", kOne + kKeys + ", bool[1,2] m = {0, 0}", ", m")),
              ElementsAre(0));
}

TEST(OnnxAttention, AFloatMaskIsAdded) {
  EXPECT_THAT(values_in_set(23, attention("", kQuery + kKeys + ", float[1,1,1,2] m = {0, 1.0986123}", ", m")),
              ElementsAre(near(25)));
}

TEST(OnnxAttention, FromSet24AMaskMayEndBeforeTheKeys) {
  EXPECT_THAT(values_in_set(24, attention("", kOne + kKeys + ", float[1,1] m = {0}", ", m")),
              ElementsAre(near(10)));
  refused(23, attention("", kOne + kKeys + ", bool[1,3] m = {1, 1, 1}", ", m"),
          "has input 3 ('m') of 1x3, needs a shape that broadcasts to 1x1x1x2");
}

/// Query i sees keys up to i, and all those before, which are past.
TEST(OnnxAttention, ACausalQuerySeesKeysUpToItsOwn) {
  EXPECT_THAT(values_in_set(23, attention("is_causal = 1", "float[1,1,2,1] q = {1, 1}" + kKeys)),
              ElementsAre(near(10), near(25)));
  EXPECT_THAT(values_in_set(23, attention("is_causal = 1",
                                          "float[1,1,1,1] q = {1}, float[1,1,2,1] k = {1.0986123, 9}, "
                                          "float[1,1,2,1] v = {30, 99}, float[1,1,1,1] pk = {0}, "
                                          "float[1,1,1,1] pv = {10}",
                                          ", , pk, pv")),
              ElementsAre(near(25)));
}

TEST(OnnxAttention, PastKeysAndValuesComeFirst) {
  const std::string text =
      attention("",
                kOne +
                    ", float[1,1,1,1] k = {1.0986123}, float[1,1,1,1] v = {30}, float[1,1,1,1] pk = {0}, "
                    "float[1,1,1,1] pv = {10}",
                ", , pk, pv", "y,a,b");
  EXPECT_THAT(values_in_set(23, text), ElementsAre(near(25)));
  EXPECT_THAT(values_in_set(23, text, 1), ElementsAre(0, near(1.0986123F)));
  EXPECT_THAT(values_in_set(23, text, 2), ElementsAre(10, 30));
}

TEST(OnnxAttention, NeighbouringQueriesShareTheirKeys) {
  EXPECT_THAT(
      values_in_set(23, attention("",
                                  "float[1,4,1,1] q = {0, 1, 0, 1}, float[1,2,2,1] k = {0, 1.0986123, "
                                  "0, 0}, float[1,2,2,1] v = {10, 30, 1, 3}")),
      ElementsAre(near(20), near(25), near(2), near(2)));
}

TEST(OnnxAttention, HeadsMayLieInTheLastDimension) {
  const std::string inputs =
      "float[1,1,2] q = {0, 1}, float[1,2,1] k = {0, 1.0986123}, float[1,2,2] v = {10, 1, 30, 3}";
  EXPECT_THAT(values_in_set(23, attention("q_num_heads = 2, kv_num_heads = 1", inputs)),
              ElementsAre(near(20), near(2), near(25), near(2.5F)));
  refused(23, attention("kv_num_heads = 1", inputs),
          "has a query of 3 dimensions and lacks q_num_heads, needs it");
  refused(23, attention("q_num_heads = 3, kv_num_heads = 1", inputs), "has a query of 1x1x2 and 3 heads");
}

/// tanh leaves 1 of a large score, so that ln 3 remains of 1000.
TEST(OnnxAttention, SoftcapLimitsScoresBeforeTheMask) {
  const std::string inputs =
      "float[1,1,1,1] q = {1000}, float[1,1,2,1] k = {0, 1}, float[1,1,2,1] v = {10, 30}";
  EXPECT_THAT(values_in_set(23, attention("softcap = 1.0986123", inputs)), ElementsAre(near(25)));
  EXPECT_THAT(values_in_set(23, attention("softcap = 1.0986123", inputs + ", bool[1,2] m = {1, 0}", ", m")),
              ElementsAre(near(10)));
}

TEST(OnnxAttention, TheFourthOutputShowsAStage) {
  const auto stage = [&](int mode) {
    return values_in_set(
        23,
        attention("softcap = 1.0986123, qk_matmul_output_mode = " + std::to_string(mode),
                  "float[1,1,1,1] q = {1000}, float[1,1,2,1] k = {0, 1}, float[1,1,2,1] v = {10, 30}, "
                  "float[1,2] m = {1, 0}",
                  ", m", "y,a,b,c"),
        3);
  };
  EXPECT_THAT(stage(0), ElementsAre(0, 1000));
  EXPECT_THAT(stage(1), ElementsAre(0, near(1.0986123F)));
  EXPECT_THAT(stage(2), ElementsAre(1, near(1.0986123F)));
  EXPECT_THAT(stage(3),
              ElementsAre(near(std::exp(1.0F) / (std::exp(1.0F) + 3)), near(3 / (std::exp(1.0F) + 3))));
  refused(23, attention("qk_matmul_output_mode = 4", kOne + kKeys),
          "has qk_matmul_output_mode 4, needs 0 to 3");
}

TEST(OnnxAttention, KeysBehindTheStatedLengthAreHidden) {
  const std::string keys =
      ", float[1,1,3,1] k = {0, 1.0986123, 7}, float[1,1,3,1] v = {10, 30, 99}, int64[1] n = {2}";
  EXPECT_THAT(values_in_set(24, attention("", kOne + keys, ", , , , n")), ElementsAre(near(25)));
  // The last query belongs to the last key that counts.
  EXPECT_THAT(values_in_set(24, attention("is_causal = 1", kOne + keys, ", , , , n")), ElementsAre(near(25)));
  EXPECT_THAT(
      values_in_set(24, attention("is_causal = 1", "float[1,1,3,1] q = {1, 1, 1}" + keys, ", , , , n")),
      ElementsAre(0, near(10), near(25)));
}

TEST(OnnxAttention, AWindowLimitsTheKeysAroundAQuery) {
  const std::string inputs =
      "float[1,1,3,1] q = {0, 0, 0}, float[1,1,3,1] k = {1, 2, 3}, float[1,1,3,1] v = {10, 20, 60}";
  EXPECT_THAT(values_in_set(25, attention("left_window_size = 0, right_window_size = 0", inputs)),
              ElementsAre(near(10), near(20), near(60)));
  EXPECT_THAT(values_in_set(25, attention("left_window_size = 1, right_window_size = 0", inputs)),
              ElementsAre(near(10), near(15), near(40)));
}

TEST(OnnxAttention, ShapesThatDoNotBelongTogetherAreRefused) {
  refused(
      23, attention("", "float[1,3,1,1] q, float[1,2,2,1] k, float[1,2,2,1] v"),
      "has a query of 1x3x1x1, a key of 1x2x2x1 and a value of 1x2x2x1 (batch, heads, length, size), needs");
  refused(23, attention("", kOne + ", float[1,2,1] k, float[1,2,1] v"),
          "has a key of 1x2x1, needs 4 dimensions");
  refused(23, attention("", kOne + kKeys + ", float[1,1,1,1] pk", ", , pk"),
          "has one of past_key and past_value, needs both or none");
  refused(23, attention("", "int32[1,1,1,1] q, float[1,1,1,1] k, float[1,1,1,1] v"),
          "has input 0 ('q') of int32, needs floats");
}

std::string rotated(const std::string& attributes, const std::string& x, const std::string& angles,
                    const std::string& inputs) {
  return "g (" + x + ", " + angles + ") => (float y) { y = RotaryEmbedding " +
         (attributes.empty() ? "" : "<" + attributes + "> ") + "(" + inputs + ") }";
}

/// Position 0 turns by nothing, position 1 by a quarter.
const std::string kTwoRows = "float[1,1,2,4] x = {1, 2, 3, 4, 5, 6, 7, 8}";
const std::string kTable = "float[2,2] c = {1, 1, 0, 0}, float[2,2] s = {0, 0, 1, 1}, int64[1,2] p = {0, 1}";

TEST(OnnxRotaryEmbedding, RotatesPairsByTheAnglesOfTheirPositions) {
  EXPECT_THAT(values_in_set(23, rotated("", kTwoRows, kTable, "x, c, s, p")),
              ElementsAre(1, 2, 3, 4, -7, -8, 5, 6));
  EXPECT_THAT(values_in_set(23, rotated("interleaved = 1", kTwoRows, kTable, "x, c, s, p")),
              ElementsAre(1, 2, 3, 4, -6, 5, -8, 7));
}

TEST(OnnxRotaryEmbedding, TheFirstElementsAloneMayBeRotated) {
  EXPECT_THAT(values_in_set(23, rotated("rotary_embedding_dim = 2", kTwoRows,
                                        "float[1,2,1] c = {1, 0}, float[1,2,1] s = {0, 1}", "x, c, s")),
              ElementsAre(1, 2, 3, 4, -6, 5, 7, 8));
}

/// Both heads of a position turn alike.
TEST(OnnxRotaryEmbedding, HeadsMayLieInTheLastDimension) {
  EXPECT_THAT(values_in_set(23, rotated("num_heads = 2", "float[1,2,4] x = {1, 2, 3, 4, 5, 6, 7, 8}",
                                        "float[1,2,1] c = {1, 0}, float[1,2,1] s = {0, 1}", "x, c, s")),
              ElementsAre(1, 2, 3, 4, -6, 5, -8, 7));
  refused(23, rotated("", "float[1,2,4] x", "float[1,2,1] c, float[1,2,1] s", "x, c, s"),
          "has data of 3 dimensions and lacks num_heads, needs it");
}

TEST(OnnxRotaryEmbedding, AnglesOfOtherShapesAreRefused) {
  refused(23, rotated("", kTwoRows, kTable, "x, c, s"),
          "has a cos_cache of 2x2, needs 3 dimensions without position_ids");
  refused(23, rotated("rotary_embedding_dim = 3", kTwoRows, kTable, "x, c, s, p"),
          "rotates 3 elements of heads of 4, needs an even number of them");
}

}  // namespace
}  // namespace vdla::import
