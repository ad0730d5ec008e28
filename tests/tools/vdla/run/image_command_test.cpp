// SPDX-License-Identifier: Apache-2.0
// Pixels through the commands: what compile is told, run and eval use and say.
#include <fmt/format.h>

#include <map>

#include "tests/tools/image_commands.h"
#include "tools/data/npy.h"

namespace vdla::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(ImageCommands, WhatCompileIsToldIsKeptShownUsedAndOverridden) {
  const std::string module =
      compile(example("digits.onnx"), "--target cpu --resize 8x8 --normalise scale=0.0627");
  EXPECT_EQ(json("explain " + module)["preprocessing"], "--resize 8x8 --normalise scale=0.0627");
  EXPECT_THAT(ok("explain " + module).out, HasSubstr("images become the input by --resize 8x8"));
  const std::string with = " --input " + image();
  const auto kept = json("run " + module + with);
  EXPECT_FALSE(kept.contains("notes"));
  const Outcome over = ok("run " + module + with + " --normalise scale=0.03");
  EXPECT_THAT(over.err, HasSubstr("--normalise scale=0.03 in the place of the model's own scale=0.0627"));
  const std::string plain = compile(example("digits.onnx"));
  EXPECT_EQ(json("run " + plain + with + " --normalise scale=0.0627")["outputs"], kept["outputs"]);
  EXPECT_NE(json("run " + plain + with + " --normalise scale=0.03")["outputs"], kept["outputs"]);
}

TEST_F(ImageCommands, PixelsThatTheRangeCutsOffAreSaidByRunAndEval) {
  const std::string module = compile(example("digits.onnx"));
  for (const std::string& line :
       {"run " + module + " --input " + image(), "eval " + module + " --inputs " + image()}) {
    EXPECT_THAT(ok(line).err, HasSubstr("vdla: note: 100.0 % of the values for input")) << line;
    EXPECT_EQ(json(line)["notes"].size(), 1u) << line;
  }
}

TEST_F(ImageCommands, FlagsForPixelsAreRefusedWhereNoPixelsAre) {
  const std::string module = compile(example("digits.onnx"));
  expect_error("eval " + module + " --inputs " + example("images.npy") + " --normalise scale=2",
               {"--normalise scale=2", "does nothing", "images.npy"});
  expect_error("run " + module + " --random-input 1 --resize 8", {"--resize 8", "--random-input"});
  expect_error("compile " + example("digits.onnx") + " -o " + path("n.vdla") + " --crop 9",
               {"--crop 9x9", "8x8"});
}

TEST_F(ImageCommands, APictureIsLaidOutForAModelWithItsOneChannelFirst) {
  const NpyArray images = read_npy(example("images.npy"));
  const NpyArray first{
      images.type, {1, 1, 8, 8}, {images.bytes.begin(), images.bytes.begin() + 64 * images.item_bytes()}};
  std::vector<unsigned char> pixels;
  for (const double pixel : to_real(first)) pixels.push_back(static_cast<unsigned char>(pixel));
  const File png = png_file(8, 8, pixels, {8, PNG_COLOR_TYPE_GRAY});
  write_file(path("grey.png"), {reinterpret_cast<const char*>(png.data()), png.size()});
  write_npy(path("grey.npy"), first);
  const auto outputs = [&](const std::string& input) {
    return json("run " + digits() + " --input " + path(input))["outputs"];
  };
  EXPECT_EQ(outputs("grey.png"), outputs("grey.npy"));
  expect_error("run " + digits() + " --input " + path("grey.png") + " --normalise std=0", {"std is 0"});
}

/// One command from a network and a photograph to an answer, which comes before the cycles.
TEST_F(ImageCommands, ANetworkIsCompiledAndAPhotographFittedOnTheWay) {
  std::vector<unsigned char> wide;
  for (int i = 0; i < 16 * 24; ++i) wide.push_back(static_cast<unsigned char>(i % 24 * 10));
  const File png = png_file(16, 24, wide, {8, PNG_COLOR_TYPE_GRAY});
  write_file(path("wide.png"), {reinterpret_cast<const char*>(png.data()), png.size()});
  const std::string with = " --input " + path("wide.png") + " --normalize scale=0.0627";
  const Outcome outcome = ok("run " + example("digits.onnx") + with + " --engine systemc --variant tiny");
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("digits.onnx is compiled for variant tiny"),
                    HasSubstr("wide.png of 16x24 was resized to 8x12, and its middle 8x8 is input")));
  EXPECT_LT(outcome.out.find("output '"), outcome.out.find("cycles"));
  const std::string module = compile(example("digits.onnx"), "--variant tiny");
  const auto kept = json("run " + module + with + " --engine systemc");
  const auto here = json("run " + example("digits.onnx") + with + " --engine systemc --variant tiny");
  EXPECT_EQ(here["outputs"], kept["outputs"]);
  EXPECT_EQ(here["cycles"], kept["cycles"]);
  EXPECT_EQ(json("run " + module + with + " --resize 8x12 --crop 8")["outputs"], kept["outputs"]);
  EXPECT_EQ(json("run " + example("digits.onnx") + with + " --target cpu")["outputs"], kept["outputs"]);
  expect_error("run " + module + with + " --variant tiny", {"--variant", "is a module already"});
  expect_error("run " + module + with + " --resize 4", {"wide.png", "4x6 after --resize 4", "needs 8x8"});
}

TEST_F(ImageCommands, TheUsualNormalisationsAreTriedOnLabelledInputs) {
  const File png = png_file(8, 8, std::vector<unsigned char>(64, 200), {8, PNG_COLOR_TYPE_GRAY});
  write_file(path("x.png"), {reinterpret_cast<const char*>(png.data()), png.size()});
  const std::string eval = "eval " + example("digits.onnx") + " --target cpu --inputs " + path("x.png");
  const std::string scaled = "--normalise scale=0.00392157";
  const auto top =
      json("run " + example("digits.onnx") + " --target cpu --input " + path("x.png") + " " + scaled);
  write_file(path("labels.csv"),
             fmt::format("name,label\nx.png,{}\n", top["outputs"][0]["top"][0]["class"].get<int>()));
  const auto tried = json(eval + " --labels " + path("labels.csv") + " --try-normalise");
  ASSERT_EQ(tried["normalisations"].size(), 4u) << "two are for three channels";
  std::map<std::string, int> correct;
  for (const auto& row : tried["normalisations"]) correct[row["flags"]] = row["correct"];
  EXPECT_EQ(correct.at(scaled), 1);
  for (const auto& [flags, count] : correct)
    EXPECT_EQ(json(eval + " --labels " + path("labels.csv") + " " + flags)["correct"], count) << flags;
  const std::string module = "eval " + compile(example("digits.onnx")) + " --inputs " + path("x.png");
  expect_error(module + " --try-normalise", {"--try-normalise needs --labels"});
  expect_error(module + " --labels " + path("labels.csv") + " --try-normalise --bgr", {"leave out --bgr"});
}

}  // namespace
}  // namespace vdla::tools
