// SPDX-License-Identifier: Apache-2.0
// Pixels through the commands: what compile is told, run and eval use and say.
#include "tests/tools/image_commands.h"
#include "tools/data/npy.h"

namespace vdla::tools {
namespace {

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
  const auto outputs =
      [&](const std::string& input) {  // without the times of the host, which differ from run to run
        const Outcome outcome = run("run " + digits() + " --input " + path(input));
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const auto begin = outcome.out.find("output 'dense.dq'");
        EXPECT_NE(begin, std::string::npos) << outcome.out;
        return outcome.out.substr(std::min(begin, outcome.out.size()));
      };
  EXPECT_EQ(outputs("grey.png"), outputs("grey.npy"));
  expect_error("run " + digits() + " --input " + path("grey.png") + " --normalise std=0", {"std is 0"});
}

}  // namespace
}  // namespace vdla::tools
