// SPDX-License-Identifier: Apache-2.0
// Pictures are XML to others, and no text leaves its picture.
#include "bench/paper/svg.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/inert.h"
#include "support/temporary.h"
#include "tests/readers/hostile.h"
#include "tests/readers/readers.h"

namespace vdla::bench::paper {
namespace {

/// Texts of each picture.
std::vector<nlohmann::json> texts_of(const std::vector<std::string>& pictures) {
  const Temporary folder(std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "pictures");
  std::vector<std::string> files;
  for (const std::string& picture : pictures) {
    files.push_back(folder.path() / std::to_string(files.size()));
    std::ofstream(files.back()) << picture;
  }
  return readers::read_by_others("svg", files);
}

TEST(Svg, ATextOfAnyCharactersIsTheTextToOthers) {
  Svg svg(10, 10);
  nlohmann::json expected = nlohmann::json::array();
  double y = 0;
  for (const std::string& name : readers::hostile_names()) {
    svg.words(0, y += 20, name);
    expected.push_back(visible(name));
  }
  EXPECT_EQ(texts_of({svg.finish()}).front(), expected);
}

// The title of a figure was wider than the figure.
TEST(Svg, ATextThatIsWiderThanItsPictureMakesThePictureWider) {
  const std::string title = "speed, cuBLAS is 1, with cooperative fetch and without";
  std::vector<std::string> pictures;
  for (const Anchor anchor : {Anchor::Start, Anchor::Middle, Anchor::End})
    for (const double x : {-500., 0., 180., 360., 900.})
      for (const double y : {-5., 3., 330.}) {
        Svg svg(360, 320);
        svg.words(x, y, title, anchor, 13);
        pictures.push_back(svg.finish());
      }
  EXPECT_EQ(texts_of(pictures), std::vector(pictures.size(), nlohmann::json({title})));
}

TEST(Svg, APictureThatHoldsItsTextsKeepsItsExtents) {
  Svg svg(200, 100);
  svg.words(100, 50, "middle", Anchor::Middle);
  svg.words(20, 90, "upright", Anchor::Start, 12, -90);
  EXPECT_NE(svg.finish().find("viewBox=\"0 0 200 100\""), std::string::npos);
}

TEST(Svg, ATurnedTextAndAMarkAreInsideToo) {
  Svg turned(100, 100);
  turned.words(50, 20, "0123456789", Anchor::Start, 10, -90);
  EXPECT_NE(turned.finish().find("viewBox=\"0 -48 100 148\""), std::string::npos) << turned.finish();
  Svg marked(100, 100);
  marked.circle(100, 100, 4, "#000");
  EXPECT_NE(marked.finish().find("viewBox=\"0 0 104 104\""), std::string::npos) << marked.finish();
}

}  // namespace
}  // namespace vdla::bench::paper
