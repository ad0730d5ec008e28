// SPDX-License-Identifier: Apache-2.0
// Operators of sets from 18 on and RoiAlign, which the library's conformance suite has few cases of: graphs
// of constants, which the importer computes; values by hand, those of RoiAlign recorded from ONNX
// Runtime 1.24.3.
#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using testing::near;
using testing::refused;
using testing::shape_of;
using testing::values_in_set;

std::string rms(const std::string& attributes, const std::string& scale = "float[2] s = {1, 2}") {
  return "g (float[1,2] x = {3, 4}, " + scale + ") => (float y) { y = RMSNormalization <" + attributes +
         "> (x, s) }";
}

/// The root of the mean square of 3 and 4 is 3.5355339.
TEST(OnnxRmsNormalization, DividesByTheRootOfTheMeanSquare) {
  EXPECT_THAT(values_in_set(23, rms("epsilon = 0.0")), ElementsAre(near(0.8485281F), near(2.2627417F)));
  EXPECT_THAT(values_in_set(23, rms("epsilon = 3.5")), ElementsAre(near(0.75F), near(2)));
}

TEST(OnnxRmsNormalization, AllDimensionsFromTheAxisOnCount) {
  const auto text = [](const std::string& axis) {
    return "g (float[2,2] x = {3, 4, 6, 8}, float s = {1}) => (float y) { y = RMSNormalization <epsilon = "
           "0.0, axis = " +
           axis + "> (x, s) }";
  };
  EXPECT_THAT(values_in_set(23, text("1")),
              ElementsAre(near(0.8485281F), near(1.1313708F), near(0.8485281F), near(1.1313708F)));
  EXPECT_THAT(values_in_set(23, text("0")),
              ElementsAre(near(0.5366563F), near(0.7155418F), near(1.0733126F), near(1.4310835F)));
}

TEST(OnnxRmsNormalization, OtherTypesAndShapesAreRefused) {
  refused(23, rms("stash_type = 10"), "has a stash_type other than 1 (float)");
  refused(23, rms("epsilon = 0.0", "float[3] s"),
          "has input 1 ('s') of 3, needs a shape that broadcasts to 1x2");
  refused(23, "g (int32[2] x, float[2] s) => (float y) { y = RMSNormalization (x, s) }",
          "has input 0 ('x') of int32, needs floats");
}

TEST(OnnxSwish, IsTheSigmoidOfAMultipleTimesTheElement) {
  const auto text = [](const std::string& attributes) {
    return "g (float[3] x = {0, 1, -2}) => (float y) { y = Swish " + attributes + "(x) }";
  };
  EXPECT_THAT(values_in_set(24, text("")), ElementsAre(0, near(0.7310586F), near(-0.2384058F)));
  EXPECT_THAT(values_in_set(24, text("<alpha = 2.0> ")), ElementsAre(0, near(0.8807971F), near(-0.0359724F)));
}

std::string group(const std::string& scale, const std::string& groups = "2") {
  return "g (float[1,4,1] x = {1, 3, 2, 6}, " + scale +
         ") => (float y) { y = GroupNormalization <num_groups = " + groups + ", epsilon = 0.0> (x, s, b) }";
}

/// Means 2 and 4, deviations 1 and 2.
TEST(OnnxGroupNormalization, Set18HasAScaleForEachGroup) {
  EXPECT_THAT(values_in_set(18, group("float[2] s = {2, 3}, float[2] b = {10, 20}")),
              ElementsAre(8, 12, 17, 23));
  refused(18, group("float[4] s, float[2] b"), "has a scale of 4, needs 2 elements, one for each group");
}

TEST(OnnxGroupNormalization, Set21HasAScaleForEachChannel) {
  EXPECT_THAT(values_in_set(21, group("float[4] s = {1, 2, 3, 4}, float[4] b = {0, 0, 0, 1}")),
              ElementsAre(-1, 2, -3, 5));
  refused(21, group("float[4] s, float[2] b"), "has a bias of 2, needs 4 elements, one for each channel");
}

TEST(OnnxGroupNormalization, GroupsHaveOneSize) {
  refused(21, group("float[4] s, float[4] b", "3"),
          "has 4 channels and num_groups 3, needs groups of one size");
}

TEST(OnnxGroupNormalization, DataWithoutElementsGiveNone) {
  for (const std::string shape : {"[0,4,1]", "[1,0,1]", "[1,4,0]"}) {
    const graph::Graph g = testing::graph_in_set(
        21, "g (float" + shape +
                " x = {}, float[4] s = {1, 1, 1, 1}, float[0] e = {}) => (float y) { y = "
                "GroupNormalization <num_groups = 2> (" +
                (shape == "[1,0,1]" ? "x, e, e) }" : "x, s, s) }"));
    ASSERT_EQ(g.outputs.size(), 2U) << shape;
    const auto extents = g.tensor(g.outputs[1].tensor).values<std::int64_t>();
    EXPECT_THAT(extents, ::testing::Contains(0)) << shape;
  }
}

std::string grid(const std::string& theta, const std::string& size, const std::string& aligned) {
  return "g (float" + theta + ", int64" + size +
         ") => (float y) { y = AffineGrid <align_corners = " + aligned + "> (t, n) }";
}

TEST(OnnxAffineGrid, PlacesAreMiddlesOrCorners) {
  const std::string same = "[1,2,3] t = {1, 0, 0, 0, 1, 0}", two = "[4] n = {1, 1, 2, 2}";
  EXPECT_THAT(values_in_set(20, grid(same, two, "0")),
              ElementsAre(-0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, 0.5));
  EXPECT_THAT(values_in_set(20, grid(same, two, "1")), ElementsAre(-1, -1, 1, -1, -1, 1, 1, 1));
}

/// x' = y, y' = 10 x + 3: coordinates are x first.
TEST(OnnxAffineGrid, RowsOfThetaGiveCoordinates) {
  EXPECT_THAT(values_in_set(20, grid("[1,2,3] t = {0, 1, 0, 10, 0, 3}", "[4] n = {1, 1, 1, 2}", "0")),
              ElementsAre(0, -2, 0, 8));
}

TEST(OnnxAffineGrid, AThirdDimensionComesLast) {
  const std::string theta = "[1,3,4] t = {1, 0, 0, 2, 0, 1, 0, 3, 0, 0, 1, 4}";
  EXPECT_THAT(values_in_set(20, grid(theta, "[5] n = {1, 1, 1, 1, 2}", "0")),
              ElementsAre(1.5, 3, 4, 2.5, 3, 4));
  EXPECT_EQ(shape_of(20, grid(theta, "[5] n = {1, 7, 4, 3, 2}", "1")), (graph::Shape{1, 4, 3, 2, 3}));
}

TEST(OnnxAffineGrid, OtherShapesAreRefused) {
  refused(20, grid("[1,2,3] t", "[3] n = {1, 1, 2}", "0"),
          "has a size of 3 numbers, needs N C H W or N C D H W");
  refused(20, grid("[1,2,3] t", "[5] n = {1, 1, 2, 2, 2}", "0"), "has a theta of 1x2x3, needs 1x3x4");
  refused(20, grid("[2,2,3] t", "[4] n = {1, 1, 2, 2}", "0"), "has a theta of 2x2x3, needs 1x2x3");
}

std::string regions(const std::string& attributes) {
  return "g (float[1,1,3,4] x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, float[2,4] r = {0, 0, 4, 3, 1, 1, "
         "2, 2}, "
         "int64[2] b = {0, 0}) => (float y) { y = RoiAlign <" +
         attributes + "> (x, r, b) }";
}

const std::string kBins = "output_height = 1, output_width = 2, sampling_ratio = 2";

TEST(OnnxRoiAlign, MeansOfPointsInBins) {
  EXPECT_THAT(values_in_set(10, regions(kBins)), ElementsAre(7.5, 9.25, 8.25, 8.75));
  EXPECT_THAT(values_in_set(16, regions(kBins)), ElementsAre(5.5, 7.5, 5.75, 6.25));
  EXPECT_THAT(values_in_set(22, regions(kBins + ", coordinate_transformation_mode = \"output_half_pixel\"")),
              ElementsAre(7.5, 9.25, 8.25, 8.75));
  EXPECT_THAT(values_in_set(16, regions(kBins + ", spatial_scale = 0.5")),
              ElementsAre(2.375, 3.25, 2.125, 2.375));
}

/// The largest share of any of the four elements around a point, as ONNX's reference has it.
TEST(OnnxRoiAlign, LargestSharesInBins) {
  EXPECT_THAT(values_in_set(16, regions(kBins + ", mode = \"max\"")), ElementsAre(7.5, 9, 3.9375, 3.9375));
}

TEST(OnnxRoiAlign, AGridThatDependsOnTheRegionsIsRefused) {
  refused(16, regions("output_height = 2"), "has sampling_ratio 0, by which the grid depends on the regions");
  refused(16, regions(kBins + ", coordinate_transformation_mode = \"pixel\""),
          "has coordinate_transformation_mode 'pixel', needs half_pixel or output_half_pixel");
}

}  // namespace
}  // namespace vdla::import
