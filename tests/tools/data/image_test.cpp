// SPDX-License-Identifier: Apache-2.0
// Decoders of images: what each kind of file becomes, and that damage is the user's error, whatever it is.
#include "tools/data/image.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tools/expect_error.h"
#include "tests/tools/image_files.h"
#include "tools/data/files.h"

namespace vdla::tools {
namespace {

using Values = std::vector<float>;

std::vector<unsigned char> ramp(std::size_t n) {
  std::vector<unsigned char> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<unsigned char>(i * 37));
  return values;
}

Values as_values(const std::vector<unsigned char>& bytes) { return {bytes.begin(), bytes.end()}; }

/// An image, or a sentence; anything else ends the test program.
std::string outcome(const File& file) {
  try {
    const Image image = decode_image(file, "x", 1 << 20);
    EXPECT_EQ(image.pixels.size(), static_cast<std::size_t>(image.height * image.width * image.channels));
    return "";
  } catch (const UserError& e) {
    return e.what();
  }
}

TEST(Jpeg, TheFileThatOverflowedStbIsAUserError) {
  const std::string path = VDLA_SOURCE_DIR "/tests/regressions/images/jpeg_stb.jpg";
  expect_user_error([&] { read_image(path); }, {"jpeg_stb.jpg: not a JPEG image that can be read: "});
}

TEST(Jpeg, EveryPrefixOfAFileIsAUserErrorWithTheLibrarysMessage) {
  for (const bool progressive : {false, true}) {
    const File file = jpeg_file(16, 24, ramp(16 * 24 * 3), {3, JCS_RGB, progressive});
    ASSERT_EQ(outcome(file), "");
    for (std::size_t n = 2; n < file.size(); ++n)
      EXPECT_NE(outcome(File(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n))), "") << n;
    const File half(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2));
    EXPECT_THAT(outcome(half), testing::HasSubstr("end of"));
  }
}

/// EXIF data that says nothing but `orientation`, as TIFF of either byte order.
std::string exif(int orientation, bool big_endian) {
  const auto low = static_cast<char>(orientation);
  const std::string value = big_endian ? std::string{0, low, 0, 0} : std::string{low, 0, 0, 0};
  if (big_endian)
    return std::string("MM\0*\0\0\0\x8\0\x1\x1\x12\0\x3\0\0\0\x1", 18) + value + std::string(4, '\0');
  return std::string("II*\0\x8\0\0\0\x1\0\x12\x1\x3\0\x1\0\0\0", 18) + value + std::string(4, '\0');
}

/// The JPEG with EXIF data in front.
File with_exif(const File& jpeg, const std::string& tiff) {
  const std::string data = std::string("Exif\0\0", 6) + tiff;
  const auto size = data.size() + 2;
  const std::string segment =
      std::string("\xff\xe1") + static_cast<char>(size >> 8) + static_cast<char>(size & 0xff) + data;
  File file(jpeg.begin(), jpeg.begin() + 2);
  const auto* begin = reinterpret_cast<const std::byte*>(segment.data());
  file.insert(file.end(), begin, begin + segment.size());
  file.insert(file.end(), jpeg.begin() + 2, jpeg.end());
  return file;
}

/// Photographs of telephones lay on their side, as the sensor saw them.
TEST(Orientation, OfExifDataIsApplied) {
  const std::vector<unsigned char> pixels = {0, 100, 200, 50, 150, 250};  // 2 rows of 3
  const Values upright = as_values(pixels);
  const auto row = [&](std::initializer_list<std::size_t> of) {
    Values values;
    for (const std::size_t i : of) values.push_back(upright[i]);
    return values;
  };
  const Values want[] = {upright,
                         row({2, 1, 0, 5, 4, 3}),
                         row({5, 4, 3, 2, 1, 0}),
                         row({3, 4, 5, 0, 1, 2}),
                         row({0, 3, 1, 4, 2, 5}),
                         row({3, 0, 4, 1, 5, 2}),
                         row({5, 2, 4, 1, 3, 0}),
                         row({2, 5, 1, 4, 0, 3})};
  const File jpeg = jpeg_file(2, 3, pixels, {1, JCS_GRAYSCALE, false});
  const Values decoded = decode_image(jpeg, "x", 100).pixels;
  for (int orientation = 1; orientation <= 8; ++orientation)
    for (const bool big_endian : {false, true}) {
      const std::string tiff = exif(orientation, big_endian);
      PngForm form{8, PNG_COLOR_TYPE_GRAY, false, nullptr};
      form.also = [&](png_structp png, png_infop info) {
        std::string copy = tiff;
        png_set_eXIf_1(png, info, static_cast<png_uint_32>(copy.size()),
                       reinterpret_cast<png_bytep>(copy.data()));
      };
      const Image png = decode_image(png_file(2, 3, pixels, form), "x", 100);
      EXPECT_EQ(png.pixels, want[orientation - 1]) << orientation;
      EXPECT_EQ(png.height, orientation < 5 ? 2 : 3);
      const Image turned = decode_image(with_exif(jpeg, tiff), "x", 100);
      ASSERT_EQ(turned.pixels.size(), 6u);
      EXPECT_EQ(turned.width, orientation < 5 ? 3 : 2);
      for (std::size_t i = 0; i < 6; ++i) {
        const auto at = std::ranges::find(upright, want[orientation - 1][i]) - upright.begin();
        EXPECT_EQ(turned.pixels[i], decoded[static_cast<std::size_t>(at)]) << orientation;
      }
    }
}

TEST(Orientation, DamagedExifDataLeavesTheImageAsItIs) {
  const File jpeg = jpeg_file(2, 3, ramp(6), {1, JCS_GRAYSCALE, false});
  const Values upright = decode_image(jpeg, "x", 100).pixels;
  const std::string tiff = exif(6, false);
  std::vector<std::string> damaged{exif(0, false), exif(9, true), "II",
                                   std::string("II*\0\xff\xff\xff\xff", 8)};
  for (std::size_t n = 0; n < 18; ++n) damaged.push_back(tiff.substr(0, n));
  for (const std::string& data : damaged)
    EXPECT_EQ(decode_image(with_exif(jpeg, data), "x", 100).pixels, upright) << data.size();
}

TEST(Jpeg, AFlippedBitIsNeverMoreThanAUserError) {
  const File file = jpeg_file(16, 24, ramp(16 * 24 * 3));
  for (std::size_t i = 0; i < file.size(); ++i) {
    File broken = file;
    broken[i] ^= std::byte{1} << (i % 8);
    outcome(broken);
  }
}

TEST(Jpeg, GreyIsOneChannelAndColourThree) {
  const Image grey =
      decode_image(jpeg_file(8, 8, std::vector<unsigned char>(64, 90), {1, JCS_GRAYSCALE}), "x");
  EXPECT_EQ(grey.channels, 1);
  EXPECT_EQ(grey.pixels, Values(64, 90));
  const Image colour = decode_image(jpeg_file(2, 3, std::vector<unsigned char>(18, 90)), "x");
  EXPECT_EQ(colour.channels, 3);
  EXPECT_EQ(colour.height, 2);
  EXPECT_EQ(colour.width, 3);
  EXPECT_EQ(colour.pixels, Values(18, 90));
}

TEST(Jpeg, CmykBecomesRgb) {
  std::vector<unsigned char> inks;  // as Adobe stores them: 255 is no ink
  for (int i = 0; i < 64; ++i) inks.insert(inks.end(), {255, 128, 0, 255});
  const Image image = decode_image(jpeg_file(8, 8, inks, {4, JCS_CMYK}), "x");
  ASSERT_EQ(image.channels, 3);
  EXPECT_EQ(image.pixels[0], 255);
  EXPECT_EQ(image.pixels[1], 128);
  EXPECT_EQ(image.pixels[2], 0);
}

TEST(Jpeg, SizesBeyondTheLimitAreRefusedBeforeDecoding) {
  File file = jpeg_file(16, 24, ramp(16 * 24 * 3));
  for (std::size_t i = 0; i + 9 < file.size(); ++i)  // the frame header: 0xffc0, 2 of length, 1 of precision
    if (file[i] == std::byte{0xff} && file[i + 1] == std::byte{0xc0})
      for (std::size_t k = 5; k < 9; ++k) file[i + k] = std::byte{0xea};
  expect_user_error([&] { decode_image(file, "big.jpg"); },
                    {"big.jpg", "60138x60138", "3616579044", "67108864"});
}

TEST(Png, GreyAlphaPaletteAndSixteenBitsAreReadAsBefore) {
  const auto rgb = ramp(2 * 3 * 3);
  EXPECT_EQ(decode_image(png_file(2, 3, rgb), "x").pixels, as_values(rgb));
  EXPECT_EQ(decode_image(png_file(2, 3, rgb, {.interlaced = true}), "x").pixels, as_values(rgb));
  const Image alpha = decode_image(png_file(1, 2, {1, 2, 3, 4}, {8, PNG_COLOR_TYPE_GRAY_ALPHA}), "x");
  EXPECT_EQ(alpha.channels, 2);
  EXPECT_EQ(alpha.pixels, (Values{1, 2, 3, 4}));
  const Image wide = decode_image(png_file(1, 2, {0x12, 0xff, 0xff, 0x00}, {16, PNG_COLOR_TYPE_GRAY}), "x");
  EXPECT_EQ(wide.pixels, (Values{0x12, 0xff}));
  const Image bits = decode_image(png_file(1, 4, {0b10100000}, {1, PNG_COLOR_TYPE_GRAY}), "x");
  EXPECT_EQ(bits.pixels, (Values{255, 0, 255, 0}));
  png_color colours[2] = {{1, 2, 3}, {4, 5, 6}};
  png_byte opacity[1] = {9};
  PngForm palette{8, PNG_COLOR_TYPE_PALETTE, false,
                  [&](png_structp png, png_infop info) { png_set_PLTE(png, info, colours, 2); }};
  EXPECT_EQ(decode_image(png_file(1, 2, {1, 0}, palette), "x").pixels, (Values{4, 5, 6, 1, 2, 3}));
  palette.also = [&](png_structp png, png_infop info) {
    png_set_PLTE(png, info, colours, 2);
    png_set_tRNS(png, info, opacity, 1, nullptr);
  };
  EXPECT_EQ(decode_image(png_file(1, 2, {1, 0}, palette), "x").pixels, (Values{4, 5, 6, 255, 1, 2, 3, 9}));
}

TEST(Png, EveryPrefixOfAFileIsAUserErrorWithTheLibrarysMessage) {
  const File file = png_file(5, 7, ramp(5 * 7 * 3));
  ASSERT_EQ(outcome(file), "");
  for (std::size_t n = 4; n < file.size(); ++n)
    EXPECT_NE(outcome(File(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n))), "") << n;
  File broken = file;
  broken[file.size() - 20] ^= std::byte{1};  // in the compressed data
  EXPECT_THAT(outcome(broken), testing::HasSubstr("IDAT"));
}

TEST(Png, AFlippedBitIsNeverMoreThanAUserError) {
  const File file = png_file(5, 7, ramp(5 * 7 * 3), {.interlaced = true});
  for (std::size_t i = 0; i < file.size(); ++i) {
    File broken = file;
    broken[i] ^= std::byte{1} << (i % 8);
    outcome(broken);
  }
}

TEST(Png, SizesBeyondTheLimitAreRefusedBeforeDecoding) {
  const File file = png_file(5, 7, ramp(5 * 7 * 3));
  expect_user_error([&] { decode_image(file, "big.png", 34); }, {"big.png", "5x7", "35 pixels", "34"});
}

TEST(Images, WhatIsNeitherJpegNorPngIsNamedSo) {
  EXPECT_THAT(outcome({}), testing::HasSubstr("is empty, needs a JPEG or PNG image"));
  EXPECT_THAT(outcome(File(100, std::byte{'B'})), testing::HasSubstr("needs a JPEG or PNG image"));
}

TEST(Images, ResizingBeyondTheLimitIsRefused) {
  const Image line{1, 60000, 1, Values(60000)};
  expect_user_error([&] { resize_shorter(line, 224); }, {"224x13440000", "1x60000", "67108864"});
}

}  // namespace
}  // namespace vdla::tools
