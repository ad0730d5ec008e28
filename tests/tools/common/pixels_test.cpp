// SPDX-License-Identifier: Apache-2.0
// What is said about inputs that would otherwise go wrong without a word, and what models keep about pixels.
#include "tools/common/pixels.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "runtime/container/image_payload.h"
#include "tests/tools/expect_error.h"
#include "tests/tools/image_files.h"
#include "tools/data/files.h"
#include "tools/data/npy.h"

namespace vdla::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Pixels : public ::testing::Test {
 protected:
  Pixels() {
    std::filesystem::create_directories(folder_);
    const File png = png_file(2, 2, {0, 128, 255, 64, 32, 200, 16, 8, 100, 90, 80, 70});
    write_file(path("x.png"), {reinterpret_cast<const char*>(png.data()), png.size()});
  }
  ~Pixels() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// An input of 2x2 pixels: 0..255 / 255 * (high - low) + low are its values.
  static InputSpec spec(runtime::DataType type, double low, double high) {
    const double scale = (high - low) / 255;
    const int zero =
        static_cast<int>(std::lround(-low / scale)) - (type == runtime::DataType::UInt8 ? 0 : 128);
    InputSpec spec{.name = "x", .type = type, .shape = {1, 2, 2, 3}, .scale = scale, .zero = zero};
    spec.quantised_inside = type == runtime::DataType::Float32;
    return spec;
  }
  LoadedInput load(const InputSpec& s, const std::string& flags = "", const std::string& kept = "",
                   const std::string& file = "x.png") const {
    const auto of = [](const std::string& text) {
      Preprocessing p;
      if (!text.empty()) p.normalise = parse_normalise(text);
      return p;
    };
    return load_input(path(file), s, of(flags), of(kept));
  }
  void write_floats(const std::string& name, const std::vector<float>& values) const {
    NpyArray a{"<f4", {1, 2, 2, 3}, std::vector<std::byte>(4 * values.size())};
    std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
    write_npy(path(name), a);
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("vdla_pixels_test_" + std::to_string(getpid()));
};

TEST_F(Pixels, BytesOfAQuantisedInputAreTakenAndThatIsSaid) {
  const LoadedInput u = load(spec(runtime::DataType::UInt8, -1, 1));
  EXPECT_EQ(u.samples[0].bytes[1], std::byte{128});
  EXPECT_EQ(u.samples[0].bytes[2], std::byte{255});
  EXPECT_THAT(u.notes, ElementsAre(AllOf(HasSubstr("-1.004..0.9961"), HasSubstr("taken as they are"),
                                         HasSubstr("--normalise scale=0.00784313725490196,mean=1.0039"))));
  const LoadedInput i = load(spec(runtime::DataType::Int8, 0, 1));
  EXPECT_EQ(static_cast<std::int8_t>(i.samples[0].bytes[0]), -128);
  EXPECT_EQ(static_cast<std::int8_t>(i.samples[0].bytes[2]), 127);
  EXPECT_THAT(i.notes, ElementsAre(HasSubstr("bytes - 128")));
}

TEST_F(Pixels, ARangeThatHoldsThemNeedsNoWord) {
  EXPECT_THAT(load(spec(runtime::DataType::UInt8, 0, 255)).notes, IsEmpty());
  EXPECT_THAT(load(spec(runtime::DataType::Float32, 0, 255)).notes, IsEmpty());
}

TEST_F(Pixels, ValuesThatTheRangeCutsOffAreNamedWithTheFlagThatFits) {
  const LoadedInput unit = load(spec(runtime::DataType::Float32, 0, 1));
  EXPECT_THAT(unit.notes,
              ElementsAre(AllOf(HasSubstr("% of the values for input 'x' are cut off: 0..255 come in"),
                                HasSubstr("its range is 0..1"), HasSubstr("--normalise scale=0.00392157"))));
  EXPECT_THAT(load(spec(runtime::DataType::Float32, -1, 1)).notes,
              ElementsAre(HasSubstr("; --normalise scale=1,mean=127.5,std=127.5 or ")));
  EXPECT_THAT(load(spec(runtime::DataType::Float32, -2.1, 2.6)).notes,
              ElementsAre(HasSubstr("mean=0.485:0.456:0.406")));
  EXPECT_THAT(load(spec(runtime::DataType::Float32, 0, 1), "scale=0.00392157").notes, IsEmpty());
}

/// TFLite's metadata of a uint8 network says mean 0, std 1 of an input whose range is -1..1: all pixels above
/// 1 became 255.
TEST_F(Pixels, MeanZeroAndStdOneAreRawBytesOfAUint8Input) {
  const InputSpec s = spec(runtime::DataType::UInt8, -1, 1);
  for (const auto& [flags, kept] : {std::pair("", "mean=0,std=1"), std::pair("scale=1", "")}) {
    const LoadedInput loaded = load(s, flags, kept);
    EXPECT_EQ(loaded.samples[0].bytes[1], std::byte{128});
    EXPECT_EQ(loaded.samples[0].bytes[2], std::byte{255});
    EXPECT_THAT(loaded.notes, IsEmpty());
  }
  EXPECT_THAT(load(s, "scale=1,mean=0.5").notes, ElementsAre(HasSubstr("cut off")));
}

TEST_F(Pixels, RealNumbersThatNobodyNamedAreSaid) {
  InputSpec real = spec(runtime::DataType::Float32, 0, 1);
  real.quantised_inside = false;
  EXPECT_THAT(load(real).notes, ElementsAre(HasSubstr("--normalise scale=1 says that this is right")));
  EXPECT_THAT(load(real, "scale=1").notes, IsEmpty());
}

TEST_F(Pixels, FlagsGoBeforeWhatTheModelKeepsAndThatIsSaid) {
  const InputSpec s = spec(runtime::DataType::UInt8, -1, 1);
  EXPECT_THAT(load(s, "", "mean=127.5,std=127.5").notes, IsEmpty());
  const LoadedInput both = load(s, "scale=0.00784,mean=1", "mean=127.5,std=127.5");
  EXPECT_THAT(both.notes,
              ElementsAre(HasSubstr("in the place of the model's own scale=1,mean=127.5,std=127.5")));
  EXPECT_EQ(both.used.normalise->scale, 0.00784);
}

TEST_F(Pixels, FlagsThatDoNothingForTheseFilesAreRefused) {
  write_floats("a.npy", std::vector<float>(12, 0.5f));
  const InputSpec s = spec(runtime::DataType::Int8, 0, 1);
  expect_user_error([&] { load(s, "scale=1", "", "a.npy"); },
                    {"--normalise scale=1", "does nothing", "a.npy"});
  write_file(path("raw.bin"), std::string(12, 'x'));
  expect_user_error([&] { load(s, "scale=1", "", "raw.bin"); }, {"does nothing", "raw.bin"});
  EXPECT_THAT(load(s, "", "scale=2", "a.npy").notes, IsEmpty());  // the model's own is about images
}

TEST_F(Pixels, ArraysBeyondTheRangeAreNamed) {
  write_floats("a.npy", {0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(load(spec(runtime::DataType::Int8, 0, 1), "", "", "a.npy").notes,
              ElementsAre(AllOf(HasSubstr("16.7 % of the values"), HasSubstr("0..3 come in"))));
}

TEST_F(Pixels, NotANumberIsRefusedWhateverTheInputsType) {
  std::vector<float> values(12, 0.5f);
  values[7] = std::numeric_limits<float>::quiet_NaN();
  write_floats("nan.npy", values);
  std::string raw(48, '\0');
  std::memcpy(raw.data(), values.data(), 48);
  write_file(path("nan.bin"), raw);
  for (const bool inside : {true, false})
    for (const char* file : {"nan.npy", "nan.bin"}) {
      InputSpec s = spec(runtime::DataType::Float32, 0, 1);
      s.quantised_inside = inside;
      expect_user_error([&] { load(s, "", "", file); }, {file, "value 7", "'x'", "not a number"});
    }
}

TEST_F(Pixels, WhatCannotBeThisInputsImageIsRefused) {
  const InputSpec s = spec(runtime::DataType::UInt8, 0, 1);
  Preprocessing p;
  p.crop = ImageSize{3, 3};
  expect_user_error([&] { check_pixels_fit(p, s); }, {"--crop 3x3", "2x2"});
  p.resize = ImageSize{1, 0};
  p.crop = ImageSize{2, 2};
  expect_user_error([&] { check_pixels_fit(p, s); }, {"--resize 1: leaves less than --crop 2x2"});
  p.resize = ImageSize{3, 1};
  expect_user_error([&] { check_pixels_fit(p, s); }, {"--resize 3x1: leaves less than --crop 2x2"});
  p.resize = ImageSize{3, 3};
  check_pixels_fit(p, s);
  p.crop.reset();
  expect_user_error([&] { check_pixels_fit(p, s); }, {"--resize 3x3", "needs 2x2", "--crop"});
  p.resize = ImageSize{2, 0};
  check_pixels_fit(p, s);
  InputSpec grey = s;
  grey.shape = {1, 2, 2, 1};
  Preprocessing bgr;
  bgr.bgr = true;
  expect_user_error([&] { check_pixels_fit(bgr, grey); }, {"--bgr", "1 channels"});
  Preprocessing three;
  three.normalise = parse_normalise("mean=1:2:3");
  expect_user_error([&] { check_pixels_fit(three, grey); }, {"3 channels", "has 1"});
  InputSpec flat = s;
  flat.shape = {1, 12};
  expect_user_error([&] { check_pixels_fit(three, flat); }, {"images", "2 dimensions"});
}

TEST(PixelSections, AreReadBackAndDamageIsNamed) {
  runtime::Module module, back;
  EXPECT_FALSE(runtime::encode_preprocessing(module));
  EXPECT_FALSE(runtime::encode_class_names(module));
  module.preprocessing.resize = ImageSize{256, 0};
  module.preprocessing.crop = ImageSize{224, 192};
  module.preprocessing.bgr = true;
  module.preprocessing.normalise = parse_normalise("scale=0.1,mean=1:2:3,std=0.7");
  module.class_names = {"a", "", "b c"};
  runtime::decode_preprocessing(*runtime::encode_preprocessing(module), "m", back);
  runtime::decode_class_names(*runtime::encode_class_names(module), "m", back);
  EXPECT_EQ(back.preprocessing, module.preprocessing);
  EXPECT_EQ(back.class_names, module.class_names);
  for (const std::string text : {"normalise", "normalise=scale=x", "resize=0", "sharpen=1", "bgr=no"}) {
    const auto bytes = std::as_bytes(std::span(text));
    expect_user_error([&] { runtime::decode_preprocessing(bytes, "m.vdla", back); },
                      {"m.vdla", "preprocessing"});
  }
}

/// At its own ratio, from the middle; a wide, a tall, a small image, and one that fits.
TEST_F(Pixels, ImagesOfOtherExtentsCoverTheInputAndTheReaderIsTold) {
  const InputSpec s = spec(runtime::DataType::Float32, 0, 255);
  EXPECT_THAT(load(s, "scale=1").notes, IsEmpty());
  const auto picture = [&](int height, int width, const std::vector<unsigned char>& grey) {
    const File png = png_file(height, width, grey, {8, PNG_COLOR_TYPE_GRAY});
    write_file(path("y.png"), {reinterpret_cast<const char*>(png.data()), png.size()});
    return load(s, "scale=1", "", "y.png");
  };
  const auto reds = [](const LoadedInput& input) {
    std::vector<float> values(12);
    std::memcpy(values.data(), input.samples.at(0).bytes.data(), 48);
    return std::vector<float>{values[0], values[3], values[6], values[9]};
  };
  const LoadedInput wide = picture(2, 4, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(reds(wide), ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(wide.notes, ElementsAre(AllOf(HasSubstr("y.png of 2x4, and its middle 2x2 is input 'x'"),
                                            HasSubstr("--resize and --crop say otherwise"))));
  const LoadedInput tall = picture(8, 4, std::vector<unsigned char>(32, 9));
  EXPECT_THAT(reds(tall), ElementsAre(9, 9, 9, 9));
  EXPECT_THAT(tall.notes, ElementsAre(HasSubstr("y.png of 8x4 was resized to 4x2")));
  EXPECT_THAT(picture(1, 1, {7}).notes, ElementsAre(HasSubstr("y.png of 1x1 was resized to 2x2")));
}

}  // namespace
}  // namespace vdla::tools
